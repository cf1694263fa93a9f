/** What is left to do after a phase, as text and for scripts. */
import type { Clock } from "../../../core/inputs.js";
import { AGENT_CONFIG_IMAGE, IMAGE_BASED_CONFIG_IMAGE } from "../../../directory/index.js";
import { commandFor, inPlaceProblems } from "../../../phases/ignition-configs/forms.js";
import { nextSteps as afterIgnition } from "../../../phases/ignition-configs/next-steps.js";
import { nextSteps as afterInfrastructure } from "../../../phases/infrastructure-manifests/next-steps.js";
import { formatNextSteps, type NextStep } from "../../../phases/next-step.js";
import { platformInput } from "../../../pipeline/compile.js";
import type { Prepared, Target } from "../../../pipeline/create.js";
import { FLAGS } from "../../../pipeline/flags.js";
import { manifestsAfter } from "../../../pipeline/manifest-files.js";
import { hasPlaceholder } from "../../../pipeline/placeholders.js";
import { isRsaKey } from "../../../pki/public-key.js";
import type { StartedByBootstrap } from "../../../platforms/platform.js";
import { SUPPLEMENT_FILE, type SupplementItem, summariseSupplement } from "../../../platforms/supplement.js";
import { pathWord, wordIn } from "../../../text/shell.js";

export interface Steps {
  readonly steps: readonly NextStep[];
  readonly supplement: readonly SupplementItem[];
  readonly text: string;
}

export const NO_STEPS: Steps = { steps: [], supplement: [], text: "" };

type StepsOf = (directory: string, prepared: Prepared, clock: Clock) => NextStep[];

export function nextSteps(target: Target, directory: string, prepared: Prepared, clock: Clock): Steps {
  const steps = STEPS[target](directory, prepared, clock);
  const { supplement } = prepared;
  const byHand =
    supplement.length === 0
      ? ""
      : `${summariseSupplement(supplement)}For all steps with names and commands, see ${wordIn(directory, SUPPLEMENT_FILE)}\n`;
  const parts = [byHand, formatNextSteps(steps)];
  return { steps, supplement, text: parts.filter((part) => part !== "").join("\n") };
}

const STEPS: Readonly<Record<Target, StepsOf>> = {
  manifests: (directory, prepared) => [
    {
      id: "infrastructure-manifests",
      what: "Edit manifests/ and openshift/ as required, then wrap them and compile the Cluster API objects",
      commands: [`slipway create infrastructure-manifests --dir ${pathWord(directory)}`],
    },
    ...ignitionStep(directory, prepared),
  ],
  "infrastructure-manifests": (directory, { compiled, infrastructure, after }) => {
    if (infrastructure === undefined || compiled === undefined) return [];
    const { options } = infrastructure;
    const placeholders = after.some(hasPlaceholder);
    return afterInfrastructure({
      identity: compiled.identity,
      cluster: compiled.installConfig.config.metadata.name,
      options,
      files: after,
      placeholders,
      directory,
    });
  },
  "ignition-configs": (...given) => afterConfigs(...given),
  "agent-manifests": (directory, prepared) => afterAgentManifests(directory, prepared),
  "agent-config-image": (directory) => [
    {
      id: "boot",
      what: `Attach ${wordIn(directory, AGENT_CONFIG_IMAGE)} as a drive to the hosts, which booted the image of: openshift-install agent create unconfigured-ignition`,
      commands: [],
    },
    {
      id: "wait",
      what: "Wait for the installation",
      commands: [`openshift-install agent wait-for install-complete --dir ${pathWord(directory)}`],
    },
  ],
  "image-based-config-image": (directory) => [
    {
      id: "boot",
      what: `Attach ${wordIn(directory, IMAGE_BASED_CONFIG_IMAGE)} as a drive to the node, which was installed with the image of: openshift-install image-based create image`,
      commands: [],
    },
    {
      id: "wait",
      what: "Wait for the cluster",
      commands: [
        `oc --kubeconfig ${wordIn(directory, "auth/kubeconfig")} wait --for=condition=Available clusteroperators --all --timeout=60m`,
      ],
    },
  ],
  "single-node-ignition-config": (directory, prepared, clock) =>
    afterConfigs(
      directory,
      prepared,
      clock,
      prepared.compiled?.installConfig.config.bootstrapInPlace?.installationDisk,
    ),
};

/** The image is created by the release's own installer, which reads the directory. */
const afterAgentManifests = (directory: string, { commit, plans }: Prepared): NextStep[] => {
  const paths = plans.flatMap(({ after }) => after).map(({ path }) => path);
  const hasNetworks = paths.includes("cluster-manifests/nmstateconfig.yaml");
  return [
    ...(commit.sealing === undefined
      ? []
      : [
          {
            id: "decrypt" as const,
            what: "openshift-install reads no encrypted files: decrypt a copy of the directory first",
            commands: [],
          },
        ]),
    {
      id: "agent-image",
      what: `Create the image that the hosts boot, with openshift-install of the same release${hasNetworks ? " and with nmstatectl, which checks the static networks" : ""}`,
      commands: [`openshift-install agent create image --dir ${pathWord(directory)}`],
    },
  ];
};

const afterConfigs = (
  directory: string,
  prepared: Prepared,
  clock: Clock,
  installationDisk?: string,
): NextStep[] => {
  const { compiled, commit, expiries, after } = prepared;
  if (compiled === undefined) return [];
  return afterIgnition({
    installationDisk,
    directory,
    now: clock.now(),
    fixedClock: clock.fixed === true,
    useBefore: expiries?.[0]?.notAfter,
    files: after,
    sealed: commit.sealing !== undefined,
    notForInstaller: !isRsaKey(compiled.secrets.pki.rootCA.key),
    boots: compiled.platform.ignition?.leftToInstaller === undefined,
    started: startedByBootstrap(prepared),
  });
};

const startedByBootstrap = ({ compiled, plans }: Prepared): StartedByBootstrap | undefined =>
  compiled?.platform.ignition?.startedByBootstrap?.(
    platformInput(compiled),
    manifestsAfter(plans.find(({ phase }) => phase === "manifests")),
  );

/** Objects by which the new cluster makes machines. */
const MAKES_MACHINES = [
  "openshift/99_openshift-cluster-api_master-machines",
  "openshift/99_openshift-cluster-api_worker-machineset",
];

/** True where the phase would refuse to run, since nobody has named the release to boot. */
const needsImage = (
  { platform }: NonNullable<Prepared["compiled"]>,
  { options }: Prepared["commit"],
): boolean =>
  platform.ignition?.leftToInstaller === undefined && options[FLAGS.releaseImage.name] === undefined;

function ignitionStep(directory: string, prepared: Prepared): readonly NextStep[] {
  const { compiled, commit } = prepared;
  if (compiled === undefined) return [];
  const inPlace = inPlaceProblems(compiled.installConfig.config).length === 0;
  const command = commandFor([inPlace ? "in place" : "machines"]);
  const image = needsImage(compiled, commit) ? " --release-image PULLSPEC" : "";
  const started = startedByBootstrap(prepared);
  const makesMachines = MAKES_MACHINES.some((each) =>
    compiled.files.some(({ path }) => path.startsWith(each)),
  );
  return [
    {
      id: "ignition-configs",
      what: inPlace
        ? "Or, for a single node with bootstrap in place, write its Ignition config"
        : started !== undefined
          ? `Or write the Ignition config of a bootstrap machine; ${started.program} on it installs the control plane hosts from openshift/`
          : `Or, for machines that you provision yourself, write their Ignition configs${makesMachines ? "; first rerun create manifests with --machine-management none, otherwise the cluster also creates machines of its own" : ""}`,
      commands: [`slipway ${command} --dir ${pathWord(directory)}${image}`],
    },
  ];
}
