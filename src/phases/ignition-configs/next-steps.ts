/** What is left to do after ignition-configs (docs/reference/ignition-configs.md §2f, §8b). */
import type { OutputFile } from "../../core/files.js";
import { formatDuration, formatMoment } from "../../core/time.js";
import type { StartedByBootstrap } from "../../platforms/platform.js";
import { besideOf, chained, DECRYPT_WHOLE, makePrivateFolder, pathWord, wordIn } from "../../text/shell.js";
import type { NextStep } from "../next-step.js";
import { DATA_SECRETS_FOLDER } from "./data-secrets.js";
import { commandFor, FIRST_CONFIG, type Form } from "./forms.js";
import { configFile, MACHINE_ROLES, shimFile } from "./shims.js";

export interface NextStepsInput {
  /** The asset directory as the user names it. */
  readonly directory: string;
  readonly now: Date;
  /** True where SOURCE_DATE_EPOCH gives `now`. */
  readonly fixedClock: boolean;
  /** When the first certificate ends. */
  readonly useBefore: Date | undefined;
  /** The files of the phase as they are after the run. */
  readonly files: readonly Pick<OutputFile, "path" | "secret">[];
  /** True where secret files are encrypted on disk (SOPS). */
  readonly sealed: boolean;
  /** True where keys are not RSA, from which the release's own installer does not go on. */
  readonly notForInstaller?: boolean;
  /** False where the release's own installer has to complete bootstrap.ign. */
  readonly boots: boolean;
  /** The disk that a machine installs itself to; undefined where a bootstrap machine brings up the others. */
  readonly installationDisk?: string | undefined;
  /** Machines of the control plane that the bootstrap machine starts. */
  readonly started?: StartedByBootstrap | undefined;
}

const KUBECONFIG = "auth/kubeconfig";

export function nextSteps(input: NextStepsInput): NextStep[] {
  const { directory, now, fixedClock, useBefore, boots, installationDisk } = input;
  const form: Form = installationDisk === undefined ? "machines" : "in place";
  const config = FIRST_CONFIG[form];
  const completed = besideOf(directory, "completed");
  const handed = handedFiles(input, [KUBECONFIG, ...(boots ? [config] : []), ...MACHINE_ROLES.map(shimFile)]);
  const first = boots ? handed.word(config) : wordIn(completed, config);
  const kubeconfig = `--kubeconfig ${handed.word(KUBECONFIG)}`;
  if (!boots && input.notForInstaller === true) return [START_OVER(config)];
  return [
    ...(useBefore === undefined
      ? []
      : [
          {
            id: "use-before",
            what: `Start every machine before ${formatMoment(useBefore.getTime())}, when the first certificates expire (in ${formatDuration(useBefore.getTime() - now.getTime())}${fixedClock ? " from SOURCE_DATE_EPOCH" : ""}). After that, renew them and use the new files`,
            commands: [`slipway ${commandFor([form])} --dir ${pathWord(directory)} --renew`],
          } as const,
        ]),
    ...(input.notForInstaller === true
      ? []
      : [
          {
            id: "installer" as const,
            what: boots
              ? `${config} is experimental and has never been tested on a machine. To generate it with openshift-install from the same keys and manifests, use a copy without install-config.yaml`
              : `Complete ${config} with openshift-install from the same keys and manifests, in a copy without install-config.yaml`,
            commands: [
              chained([
                ...makePrivateFolder(completed),
                ...copyCommands(input, completed),
                `openshift-install ${commandFor([form])} --dir ${pathWord(completed)}`,
              ]),
            ],
          },
        ]),
    ...handed.steps,
    ...(installationDisk === undefined
      ? fromBootstrapMachine(input, first, handed.word)
      : inPlace(
          first,
          installationDisk,
          boots && input.notForInstaller !== true ? wordIn(completed, config) : undefined,
        )),
    {
      id: "wait",
      what:
        installationDisk === undefined
          ? `Wait until the bootstrap is complete, then ${input.started === undefined ? "remove the bootstrap machine from the load balancers" : "shut down the bootstrap machine"}`
          : "Wait until the machine has rebooted from its disk and the bootstrap is complete",
      commands: [
        // kubectl wait gives up at once while no API answers, or as long as there is no such ConfigMap.
        `until kubectl ${kubeconfig} wait --for=jsonpath='{.data.status}'=complete --timeout=60m -n kube-system configmap/bootstrap; do sleep 30; done`,
      ],
    },
    // Where hosts have Machines, the cluster itself approves the requests of their nodes.
    ...(installationDisk === undefined && input.started === undefined
      ? [
          {
            id: "requests" as const,
            what: "Review and approve the certificate signing requests of compute nodes, two for each",
            commands: [`kubectl ${kubeconfig} get csr`],
          },
        ]
      : []),
    {
      id: "operators",
      what: "Wait until the operators of the new cluster are available",
      commands: [`kubectl ${kubeconfig} wait --for=condition=Available --timeout=60m clusteroperators --all`],
    },
  ];
}

/** Nothing that was written can be completed: no step that follows would lead anywhere. */
const START_OVER = (config: string): NextStep => ({
  id: "installer",
  what: `Create the cluster again in another directory, without --key-algorithm ecdsa-p256: openshift-install must complete ${config}, and requires RSA keys`,
  commands: [],
});

/** Copies what the installer goes on from, in the open. */
function copyCommands({ directory, sealed }: NextStepsInput, folder: string): string[] {
  const path = (name: string): string => wordIn(directory, name);
  const state = ".openshift_install_state.json";
  const to = `${pathWord(folder)}/`;
  if (!sealed) return [`cp -a ${[state, "manifests", "openshift"].map(path).join(" ")} ${to}`];
  return [
    `cp -a ${["manifests", "openshift"].map(path).join(" ")} ${to}`,
    // A manifest that somebody encrypted is as good as one of slipway's.
    `(for file in ${to}manifests/* ${to}openshift/*; do if grep -q 'ENC\\[AES256_GCM,' "$file"; then sops decrypt --in-place "$file" || exit 1; fi; done)`,
    `${DECRYPT_WHOLE} ${path(state)} > ${wordIn(folder, state)}`,
  ];
}

/** Files that leave the directory: where they are in the open, and the step that puts those there that are encrypted. */
function handedFiles({ directory, files, sealed }: NextStepsInput, names: readonly string[]) {
  const folder = besideOf(directory, "plain");
  const closed = new Set(
    files.flatMap(({ path, secret }) => (sealed && secret && names.includes(path) ? [path] : [])),
  );
  const word = (name: string): string =>
    closed.has(name) ? wordIn(folder, name.replace(/^.*\//, "")) : wordIn(directory, name);
  const steps: NextStep[] =
    closed.size === 0
      ? []
      : [
          {
            id: "decrypt",
            what: "Decrypt the files for machines and kubectl to a private folder that Git ignores; remove it when the cluster is running",
            commands: [
              chained([
                ...makePrivateFolder(folder),
                ...[...closed].map((name) => `${DECRYPT_WHOLE} ${wordIn(directory, name)} > ${word(name)}`),
              ]),
            ],
          },
        ];
  return { word, steps };
}

function fromBootstrapMachine(
  { directory, files, sealed, boots, started }: NextStepsInput,
  bootstrap: string,
  word: (name: string) => string,
): NextStep[] {
  const has = (path: string): boolean => files.some((file) => file.path === path);
  const named = (name: string): string => (word(name) === wordIn(directory, name) ? name : word(name));
  const config = boots ? named(FIRST_CONFIG.machines) : bootstrap;
  const shim = shimFile("bootstrap");
  const others = MACHINE_ROLES.filter((role) => role !== "bootstrap" && has(configFile(role)));
  const shimmed = others.filter((role) => has(shimFile(role)));
  const starts = others.map((role) => (has(shimFile(role)) ? named(shimFile(role)) : configFile(role)));
  const reaches = started === undefined ? "" : `, on a network from which it reaches ${started.reaches}`;
  return [
    {
      id: "bootstrap",
      what: has(shim)
        ? `Upload ${config} to the URL of --shim-source, and start the bootstrap machine with ${named(shim)}${reaches}. Only that machine must be able to fetch the file, which contains keys and the pull secret`
        : `Start the bootstrap machine with ${config}${reaches}. Only that machine must be able to fetch the file, which contains keys and the pull secret`,
      commands: [],
    },
    started === undefined
      ? {
          id: "machines",
          what: `${shimmed.length === 0 ? "Start" : `Upload ${shimmed.map(configFile).join(", ")} to the URLs of --shim-source, and start`} the other machines with ${starts.join(", ")}`,
          commands: [],
        }
      : {
          id: "machines",
          what: `Do not start the control plane hosts yourself: ${started.program} on the bootstrap machine powers them on and installs them from ${started.files.join(", ")}. The new cluster then installs the compute hosts from openshift/`,
          commands: [],
        },
    ...dataSecretsSteps(
      directory,
      files.flatMap(({ path }) => (path.startsWith(`${DATA_SECRETS_FOLDER}/`) ? [path] : [])),
      boots || has(shim),
      sealed,
    ),
  ];
}

/** @param complete false where the Secret of the bootstrap machine holds a config that the installer has to complete */
function dataSecretsSteps(
  directory: string,
  secrets: readonly string[],
  complete: boolean,
  sealed: boolean,
): NextStep[] {
  const bootstrap = `${DATA_SECRETS_FOLDER}/bootstrap.yaml`;
  const good = secrets.filter((path) => complete || path !== bootstrap);
  if (good.length === 0) return [];
  const words = good.map((path) => wordIn(directory, path));
  const left =
    good.length === secrets.length
      ? ""
      : `; ${bootstrap} contains an incomplete config, use --shim-source to generate one that points to the complete config`;
  return [
    {
      id: "data-secrets",
      what: `If Cluster API Machines start them, apply the Secrets for spec.bootstrap.dataSecretName to the management cluster${left}`,
      commands: [
        sealed
          ? `for file in ${words.join(" ")}; do sops decrypt "$file" | kubectl apply --server-side -f -; done`
          : `kubectl apply --server-side -f ${words.join(" -f ")}`,
      ],
    },
  ];
}

/** @param completed the config that the installer writes, where there is another as well */
const inPlace = (config: string, disk: string, completed: string | undefined): NextStep[] => [
  {
    id: "embed",
    what: `Embed the config${completed === undefined ? "" : ` (${completed} if openshift-install generated one)`} in the live image of the release; the image then contains keys and the pull secret`,
    commands: [`coreos-installer iso ignition embed --force --ignition-file ${config} rhcos-live.iso`],
  },
  {
    id: "boot",
    what: `Boot the machine from that image. In about an hour, it starts the control plane, installs to ${disk}, overwriting the disk, and reboots from it`,
    commands: [],
  },
];
