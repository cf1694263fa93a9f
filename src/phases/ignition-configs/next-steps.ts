/** What is left to do after ignition-configs (docs/reference/ignition-configs.md §2f, §8b). */
import type { OutputFile } from "../../core/files.js";
import { formatDuration, formatMoment } from "../../core/time.js";
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
            what: `Start every machine before ${formatMoment(useBefore.getTime())}, in ${formatDuration(useBefore.getTime() - now.getTime())}${fixedClock ? " by the clock of SOURCE_DATE_EPOCH" : ""}: then the first certificates end. Later, sign again and use the new files`,
            commands: [`slipway ${commandFor([form])} --dir ${pathWord(directory)} --renew`],
          } as const,
        ]),
    ...(input.notForInstaller === true
      ? []
      : [
          {
            id: "installer" as const,
            what: boots
              ? `${config} is experimental and was never booted; to have the release's own installer write it from the same keys and manifests, give it a copy without install-config.yaml`
              : `Have the release's own installer complete ${config} from the same keys and manifests: give it a copy without install-config.yaml`,
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
          ? "Wait until the bootstrap is complete, then take the bootstrap machine out of the load balancers"
          : "Wait until the machine has restarted from its disk and the bootstrap is complete",
      commands: [
        // kubectl wait gives up at once while no API answers, or as long as there is no such ConfigMap.
        `until kubectl ${kubeconfig} wait --for=jsonpath='{.data.status}'=complete --timeout=60m -n kube-system configmap/bootstrap; do sleep 30; done`,
      ],
    },
    ...(installationDisk === undefined
      ? [
          {
            id: "requests" as const,
            what: "Approve the certificate requests of compute machines, twice for each, after a look at them",
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
  what: `Create the cluster anew in another directory, without --key-algorithm ecdsa-p256: the release's own installer has to complete ${config}, and goes on from RSA keys only`,
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
            what: "Decrypt what machines and kubectl read, into a folder for its owner alone that Git passes over; remove it when the cluster is up",
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
  { directory, files, sealed, boots }: NextStepsInput,
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
  return [
    {
      id: "bootstrap",
      what: has(shim)
        ? `Put ${config} at the address that --shim-source gives, where the bootstrap machine alone can fetch it, for it holds keys and the pull secret, and start that machine with ${named(shim)}`
        : `Put ${config} where the bootstrap machine alone can fetch it, for it holds keys and the pull secret, and start that machine with it`,
      commands: [],
    },
    {
      id: "machines",
      what: `${shimmed.length === 0 ? "Start" : `Put ${shimmed.map(configFile).join(", ")} at the addresses that --shim-source gives, and start`} the other machines with ${starts.join(", ")}`,
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
      : `; ${bootstrap} holds a config that is not complete, and --shim-source makes one that points to the complete one`;
  return [
    {
      id: "data-secrets",
      what: `Where Machines of Cluster API start them, give the management cluster the Secrets that spec.bootstrap.dataSecretName names${left}`,
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
    what: `Put the config into the live image of the release${completed === undefined ? "" : `, ${completed} if the installer wrote one`}; the image then holds keys and the pull secret`,
    commands: [`coreos-installer iso ignition embed --force --ignition-file ${config} rhcos-live.iso`],
  },
  {
    id: "boot",
    what: `Start the machine from that image. It brings up the control plane, writes the system to ${disk}, whose content is lost, and restarts from there, in about an hour`,
    commands: [],
  },
];
