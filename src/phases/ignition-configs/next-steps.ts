/** What is left to do after ignition-configs (docs/reference/ignition-configs.md §2f, §8b). */
import { formatDuration, formatMoment } from "../../core/time.js";
import { pathWord } from "../../text/shell.js";
import { type NextStep, wordIn } from "../next-step.js";
import { commandFor, FIRST_CONFIG, type Form } from "./forms.js";

export interface NextStepsInput {
  /** The asset directory as the user names it. */
  readonly directory: string;
  readonly now: Date;
  /** True where SOURCE_DATE_EPOCH gives `now`. */
  readonly fixedClock: boolean;
  /** When the first certificate ends. */
  readonly useBefore: Date | undefined;
  /** Roles with a config of their own, such as `master`. */
  readonly roles: readonly string[];
  /** False where the release's own installer has to complete bootstrap.ign. */
  readonly boots: boolean;
  /** The disk that a machine installs itself to; undefined where a bootstrap machine brings up the others. */
  readonly installationDisk?: string | undefined;
}

export function nextSteps({
  directory,
  now,
  fixedClock,
  useBefore,
  roles,
  boots,
  installationDisk,
}: NextStepsInput): NextStep[] {
  const path = (name: string): string => wordIn(directory, name);
  const form: Form = installationDisk === undefined ? "machines" : "in place";
  const config = FIRST_CONFIG[form];
  const kubeconfig = `--kubeconfig ${path("auth/kubeconfig")}`;
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
    {
      id: "installer",
      what: boots
        ? `${config} is experimental and was never booted; to have the release's own installer write it from the same keys and manifests, give it a copy without install-config.yaml`
        : `Have the release's own installer complete ${config} from the same keys and manifests: give it a copy without install-config.yaml`,
      commands: [
        "mkdir -m 0700 completed",
        `cp -a ${[".openshift_install_state.json", "manifests", "openshift"].map(path).join(" ")} completed/`,
        `openshift-install ${commandFor([form])} --dir completed`,
      ],
    },
    ...(installationDisk === undefined
      ? fromBootstrapMachine(boots, roles)
      : inPlace(config, path, installationDisk, boots)),
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

const fromBootstrapMachine = (boots: boolean, roles: readonly string[]): NextStep[] => [
  {
    id: "bootstrap",
    what: `Put ${boots ? "" : "completed/"}bootstrap.ign where the bootstrap machine alone can fetch it, for it holds keys and the pull secret, and start that machine with it`,
    commands: [],
  },
  {
    id: "machines",
    what: `Start the other machines with ${roles.map((role) => `${role}.ign`).join(", ")}`,
    commands: [],
  },
];

const inPlace = (
  config: string,
  path: (name: string) => string,
  disk: string,
  boots: boolean,
): NextStep[] => [
  {
    id: "embed",
    what: "Put the config into the live image of the release; the image then holds keys and the pull secret",
    commands: [
      `coreos-installer iso ignition embed --force --ignition-file ${boots ? path(config) : `completed/${config}`} rhcos-live.iso`,
    ],
  },
  {
    id: "boot",
    what: `Start the machine from that image. It brings up the control plane, writes the system to ${disk}, whose content is lost, and restarts from there, in about an hour`,
    commands: [],
  },
];
