/**
 * The flags of everything that compiles an asset directory, a row each. Parsing, help, completion, what an earlier run
 * recorded, the record itself and the inputs of the KRM function follow from the rows; so do the types.
 *
 * A flag that is added is a row here; one that the function takes is a member of
 * schemas/inputs/cluster-function.schema.json besides (`test/pipeline/flags.test.ts` compares).
 */
import { choice, type Flag, list, text, textWithDefault, toggle } from "../core/flags.js";
import { GIT_LAYOUTS } from "../directory/git-files.js";
import { ASSISTED_VERSIONS } from "../kubernetes/openshift-assisted.js";
import { USER_DATA_LIMITS } from "../platforms/user-data.js";

/** What takes a flag: `create` is each of its phases that compiles. */
type Taker =
  | "create"
  | "create ignition-configs"
  | "create single-node-ignition-config"
  | "create agent-manifests"
  | "create agent-config-image"
  | "create agent-config"
  | "create image-based-config-image"
  | "create image-based-config"
  | "create image-based-installation-config"
  | "create facts"
  | "create install-config"
  | "check"
  | "validate"
  | "reconstruct";

interface Columns {
  /** Heading of help; a flag without one is among those of every day. */
  readonly topic?: string;
  readonly by: readonly Taker[];
  /** An option of the record: a later run that is not given the flag goes on with the value. */
  readonly recorded?: true;
  /** It names a file or a folder, whose place is remembered. */
  readonly input?: {
    /** Its place concerns nobody but the person who runs the command. */
    readonly own?: true;
    /** A clone has to know that it was given, though not its place. */
    readonly told?: true;
    /** The state keeps the content: a file that has gone since is no loss. */
    readonly kept?: true;
    readonly folder?: true;
  };
  /** Where the functionConfig of `slipway function` has it, under the name of the row. */
  readonly function?: "spec" | "inputs";
}

const row = <T, N extends string, const C extends Columns>(flag: Flag<T, N>, columns: C): Flag<T, N> & C => ({
  ...flag,
  ...columns,
});

/** Help shows them in this order. */
export const FLAGS = {
  dir: row(textWithDefault("dir", "asset directory", ".", { value: "DIR", names: "input" }), {
    by: [
      "create",
      "create agent-manifests",
      "create agent-config-image",
      "create agent-config",
      "create install-config",
      "create facts",
      "check",
      "validate",
      "create image-based-config-image",
      "create image-based-config",
      "create image-based-installation-config",
    ],
  }),
  /** Target OpenShift release, such as `4.22`. */
  release: row(
    text(
      "release",
      "target OpenShift release, such as 4.22 (default: the recorded release, otherwise the newest)",
      {
        value: "RELEASE",
      },
    ),
    {
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "create agent-config",
        "create install-config",
        "create facts",
        "check",
        "validate",
        "reconstruct",
        "create image-based-config-image",
        "create image-based-config",
        "create image-based-installation-config",
      ],
      recorded: true,
      function: "spec",
    },
  ),
  /** Pull specification of the release payload. */
  releaseImage: row(
    text("release-image", "pull specification of the release payload, kept in the state; none unsets it", {
      value: "PULLSPEC",
    }),
    {
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "check",
        "validate",
        "reconstruct",
      ],
      recorded: true,
      function: "spec",
    },
  ),
  infraID: row(
    text("infra-id", "set the infrastructure name (default: from the state, otherwise random)", {
      value: "ID",
    }),
    {
      topic: "Identity and keys",
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "check",
        "reconstruct",
        "create image-based-config-image",
      ],
      function: "spec",
    },
  ),
  clusterID: row(
    text("cluster-id", "set the cluster UUID (default: from the state, otherwise random)", { value: "UUID" }),
    {
      topic: "Identity and keys",
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "check",
        "reconstruct",
        "create image-based-config-image",
      ],
      function: "spec",
    },
  ),
  seed: row(
    text(
      "seed",
      "derive all new keys, passwords and identifiers from a file of 32 secret bytes, so that a first run is repeatable too",
      { value: "FILE" },
    ),
    {
      topic: "Identity and keys",
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "create image-based-config-image",
      ],
      function: "inputs",
    },
  ),
  keys: row(
    text(
      "keys",
      "use RSA keys from a pool created by slipway keys; each key is removed from it and used once (also: SLIPWAY_KEYS)",
      { value: "FILE" },
    ),
    {
      topic: "Identity and keys",
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "create image-based-config-image",
      ],
    },
  ),
  /** Namespace of the Cluster API objects. */
  namespace: row(
    text("namespace", "namespace of the Cluster API objects (default: the infrastructure name)", {
      value: "NAME",
    }),
    { topic: "Cluster API objects", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  facts: row(
    text("facts", "offline facts about the cloud, kind CloudFacts; see slipway explain cloud-facts", {
      value: "FILE",
    }),
    { by: ["create", "check", "validate", "reconstruct"], input: {}, function: "inputs" },
  ),
  coreosStream: row(text("coreos-stream", "CoreOS stream metadata for boot images", { value: "FILE" }), {
    topic: "More inputs",
    by: ["create", "create facts", "check", "validate", "reconstruct"],
    input: {},
    function: "inputs",
  }),
  credentials: row(text("credentials", "cloud credentials in the provider's own format", { value: "FILE" }), {
    by: ["create", "create facts", "check", "validate", "reconstruct"],
    input: { own: true, told: true, kept: true },
    function: "inputs",
  }),
  /** Namespace of the infrastructure provider's controller. */
  controllerNamespace: row(
    text(
      "controller-namespace",
      "namespace of the infrastructure provider's controller (default: the provider's default)",
      { value: "NAME" },
    ),
    { topic: "Cluster API objects", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  pullSecret: row(text("pull-secret", "read the pull secret from a file", { value: "FILE" }), {
    by: [
      "create",
      "create agent-manifests",
      "create agent-config-image",
      "create install-config",
      "check",
      "validate",
      "reconstruct",
      "create image-based-config-image",
    ],
    input: { own: true, kept: true },
    function: "inputs",
  }),
  sshKey: row(text("ssh-key", "read the public SSH keys from a file", { value: "FILE" }), {
    by: [
      "create",
      "create agent-manifests",
      "create agent-config-image",
      "create install-config",
      "check",
      "validate",
      "reconstruct",
      "create image-based-config-image",
    ],
    input: { kept: true },
    function: "inputs",
  }),
  templates: row(
    text("templates", "folder with templates that replace built-in ones of the same name", { value: "DIR" }),
    {
      topic: "More inputs",
      by: ["create", "create agent-manifests", "create agent-config-image", "check", "validate"],
      input: { folder: true },
    },
  ),
  customInfrastructure: row(
    text(
      "custom-infrastructure",
      "folder with your own infrastructure cluster and machine template, used instead of the platform's; none unsets it",
      { value: "DIR" },
    ),
    {
      topic: "Cluster API objects",
      by: ["create", "check", "validate"],
      input: { folder: true },
      function: "inputs",
    },
  ),
  crds: row(
    text("crds", "folder with CustomResourceDefinitions to validate objects against; none unsets it", {
      value: "DIR",
    }),
    {
      topic: "More inputs",
      by: ["create", "check", "validate"],
      input: { folder: true },
      function: "inputs",
    },
  ),
  /** Reference style of the core Cluster. */
  contract: row(
    choice(
      "contract",
      "reference style of the core Cluster (default v1beta1; v1beta2 with OpenshiftAssistedControlPlane at v1alpha3)",
      ["v1beta1", "v1beta2"],
    ),
    { topic: "Cluster API objects", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  /** Who makes the control plane out of the objects. */
  controlPlaneProvider: row(
    choice(
      "control-plane-provider",
      "control plane provider: openshift, OpenShiftControlPlane (default); openshift-assisted, OpenshiftAssistedControlPlane, with assisted-service as the installer",
      ["openshift", "openshift-assisted"],
    ),
    { topic: "Cluster API objects", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  /** Version of the control plane's kind, of a provider with several. */
  controlPlaneApiVersion: row(
    choice(
      "control-plane-api-version",
      "version of OpenshiftAssistedControlPlane: v1alpha3 (auto, the default) or v1alpha2",
      ["auto", ...ASSISTED_VERSIONS],
    ),
    { topic: "Cluster API objects", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  /** `sops`: in a folder of their own, and every file with a secret is encrypted. */
  secrets: row(
    choice(
      "secrets",
      "inline: one folder, which must not be committed (default); separate: Secrets in their own folder; sops: separate, with every file that contains a secret encrypted for age recipients",
      GIT_LAYOUTS,
    ),
    {
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "check",
        "create image-based-config-image",
      ],
      recorded: true,
    },
  ),
  /** Where objects go that clusters share. */
  sharedObjects: row(
    choice(
      "shared-objects",
      "separate: objects that clusters share in their own folder (default); inline: with each cluster",
      ["inline", "separate"],
    ),
    { topic: "Cluster API objects", by: ["create", "check"], recorded: true },
  ),
  /** Who keeps the compute machines. */
  machineManagement: row(
    choice(
      "machine-management",
      "machine-api: the new cluster manages its machines (default); cluster-api: a permanent management cluster does, with MachineDeployments as compute pools; none: you manage the machines, and slipway generates no machine objects",
      ["machine-api", "cluster-api", "none"],
    ),
    { topic: "Machines", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  /** Whether pods without a toleration may run on the control plane. */
  mastersSchedulable: row(
    choice(
      "masters-schedulable",
      "whether the control plane runs workloads: auto (default; only if there are no compute machines), on or off",
      ["auto", "on", "off"],
    ),
    { topic: "Machines", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  /** Let Cluster API replace compute machines that are not healthy. */
  machineHealthChecks: row(
    choice(
      "machine-health-checks",
      "with --machine-management cluster-api: a MachineHealthCheck for each compute pool (default off)",
      ["on", "off"],
    ),
    { topic: "Machines", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  /** Least and most machines of compute pools, for the cluster autoscaler. */
  autoscalerBounds: row(
    list(
      "autoscaler-bounds",
      "with --machine-management cluster-api: minimum and maximum machines of a compute pool, for the cluster autoscaler; none unsets them",
      { value: "POOL=MIN:MAX", oneEach: true },
    ),
    { topic: "Machines", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  /** The controller that applies the objects from Git. */
  gitops: row(
    choice(
      "gitops",
      "annotate the Cluster API objects for the controller that applies them from Git: order, and pruning",
      ["argocd", "flux", "none"],
    ),
    { topic: "Cluster API objects", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  /** For whom files are encrypted, with `sops`. */
  ageRecipients: row(
    list(
      "age-recipient",
      "with --secrets sops: recipients to encrypt files for (default: the creation rules in .sops.yaml)",
      { value: "RECIPIENT", oneEach: true },
    ),
    {
      topic: "Encryption",
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "check",
        "create image-based-config-image",
      ],
      recorded: true,
    },
  ),
  ageKeyFile: row(
    text(
      "age-key-file",
      "file with age private keys to decrypt files (also: SOPS_AGE_KEY_FILE, SOPS_AGE_KEY)",
      { value: "FILE", names: "input" },
    ),
    {
      topic: "Encryption",
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "create facts",
        "check",
        "validate",
        "reconstruct",
        "create image-based-config-image",
      ],
    },
  ),
  keyAlgorithm: row(
    choice(
      "key-algorithm",
      "algorithm of new keys (default rsa-2048; openshift-install 4.22 can only continue from RSA keys)",
      ["rsa-2048", "ecdsa-p256"],
    ),
    {
      topic: "Identity and keys",
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "reconstruct",
        "create image-based-config-image",
      ],
      function: "spec",
    },
  ),
  /** Kubernetes version that the control plane emulates. */
  emulatedVersion: row(
    text(
      "emulated-version",
      "Kubernetes version that the control plane emulates, such as 1.34; none unsets it",
      { value: "VERSION", alias: "emulation-version" },
    ),
    { topic: "Kubernetes versions", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  /** Oldest Kubernetes version that the control plane stays compatible with. */
  minCompatibilityVersion: row(
    text(
      "min-compatibility-version",
      "oldest Kubernetes version that the control plane stays compatible with; none unsets it",
      { value: "VERSION" },
    ),
    { topic: "Kubernetes versions", by: ["create", "check"], recorded: true, function: "spec" },
  ),
  /** Unknown fields of the install-config are warnings. */
  lenient: row(toggle("lenient", "report unknown install-config fields as warnings"), {
    topic: "More inputs",
    by: [
      "create",
      "create agent-manifests",
      "create agent-config-image",
      "create install-config",
      "create facts",
      "check",
      "validate",
      "reconstruct",
      "create image-based-config-image",
    ],
    recorded: true,
  }),
  ours: row(
    list("ours", "resolve conflicts with the file on disk: paths, folders or globs", { value: "PATH" }),
    {
      topic: "Conflicts and output",
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "create image-based-config-image",
      ],
    },
  ),
  theirs: row(
    list("theirs", "resolve conflicts with the newly compiled file: paths, folders or globs", {
      value: "PATH",
    }),
    {
      topic: "Conflicts and output",
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "create image-based-config-image",
      ],
    },
  ),
  dryRun: row(toggle("dry-run", "list what would change without writing anything"), {
    by: ["create", "create agent-manifests", "create agent-config-image", "create image-based-config-image"],
  }),
  diff: row(toggle("diff", "show a diff without secrets; create then writes nothing"), {
    by: [
      "create",
      "create agent-manifests",
      "create agent-config-image",
      "check",
      "create image-based-config-image",
    ],
  }),
  toStdout: row(
    toggle(
      "stdout",
      "print the files of the phase to standard output as a stream of YAML documents and write nothing; requires the state, or --seed",
    ),
    {
      topic: "Conflicts and output",
      by: [
        "create",
        "create agent-manifests",
        "create agent-config-image",
        "create image-based-config-image",
      ],
    },
  ),
  splitDocuments: row(
    toggle(
      "split-documents",
      "split files in manifests/ and openshift/ that contain several documents or a List",
    ),
    { topic: "Conflicts and output", by: ["create"] },
  ),
  consume: row(
    toggle(
      "consume",
      "delete the inputs, as openshift-install does: install-config.yaml, and with ignition-configs also manifests/ and openshift/",
    ),
    { topic: "Conflicts and output", by: ["create", "create agent-manifests", "create agent-config-image"] },
  ),
  renew: row(toggle("renew", "renew certificates that expire within a week, with the same keys"), {
    topic: "Ignition configs",
    by: ["create ignition-configs", "create single-node-ignition-config"],
  }),
  minValidity: row(
    text("min-validity", "reject certificates that expire earlier than this, such as 12h", {
      value: "DURATION",
    }),
    {
      topic: "Ignition configs",
      by: ["create ignition-configs", "create single-node-ignition-config", "validate"],
    },
  ),
  /** Write the Secrets that Cluster API's Machines get their config from. */
  dataSecrets: row(
    toggle("data-secrets", "write data-secrets/: bootstrap data Secrets for Cluster API Machines"),
    { topic: "Ignition configs", by: ["create ignition-configs"], recorded: true },
  ),
  shimSource: row(
    list(
      "shim-source",
      "URL from which machines of a role (default bootstrap) fetch their config; writes ROLE-shim.ign; ROLE=none unsets it",
      { value: "[ROLE=]URL", oneEach: true },
    ),
    { topic: "Ignition configs", by: ["create ignition-configs"] },
  ),
  nmstatectl: row(
    text(
      "nmstatectl",
      "nmstatectl program that checks networkConfig and generates the NetworkManager keyfiles of hosts; slipway runs it with an empty environment",
      { value: "PATH", names: "input" },
    ),
    {
      topic: "Agent-based installation",
      by: ["create agent-config-image", "create image-based-config-image"],
    },
  ),
  /** Where machines read their config from, if not in the way of the platform. */
  userData: row(
    choice("user-data", "user data source of the machines, for the size check (default: the platform's)", [
      ...USER_DATA_LIMITS.keys(),
    ]),
    { topic: "Ignition configs", by: ["create ignition-configs"], recorded: true },
  ),
} as const;

type Rows = typeof FLAGS;
type Member = keyof Rows;
/** Members whose row has such a column. */
type With<C> = { [K in Member]: Rows[K] extends C ? K : never }[Member];
/** What a flag gives when it was given. */
type ValueOf<K extends Member> = Rows[K] extends Flag<infer T> ? NonNullable<T> : never;

export type RecordedMember = With<{ readonly recorded: true }>;
/** The values of the flags that are remembered. Absent means: not given. */
export type RecordedFlags = { readonly [K in RecordedMember]?: ValueOf<K> | undefined };

type FileMember = With<{ readonly input: object }>;
type Input = NonNullable<Columns["input"]>;
/** Flags that name an input file or folder. */
export type FileFlag = Rows[FileMember]["name"];
/** Those of them whose file is a text. */
export type TextFlag = Exclude<FileFlag, Rows[With<{ readonly input: { readonly folder: true } }>]["name"]>;

const ROWS: Readonly<Record<Member, Flag<unknown> & Columns>> = FLAGS;
const VALUES: { readonly [K in RecordedMember]: Flag<RecordedFlags[K]> } = FLAGS;

const isMember = (name: string): name is Member => name in FLAGS;
const MEMBERS = Object.keys(FLAGS).filter(isMember);
/** The members of flags that are remembered. */
export const RECORDED = MEMBERS.filter((each): each is RecordedMember => ROWS[each].recorded === true);

/** Commands that take a part of the flags only. */
const APART: ReadonlySet<string> = new Set([
  "create install-config",
  "create agent-config",
  "create agent-manifests",
  "create facts",
  "create agent-config-image",
  "create image-based-config-image",
  "create image-based-config",
  "create image-based-installation-config",
]);

/** The flags of a command, in the order of help. */
export const flagsOf = (
  command: Taker | "create manifests" | "create infrastructure-manifests",
): readonly Flag<unknown>[] =>
  Object.values(ROWS).filter(
    ({ by }) =>
      by.some((each) => each === command) ||
      (command.startsWith("create ") && !APART.has(command) && by.includes("create")),
  );

/** The flags that name a file or a folder. */
export const FILE_FLAGS: readonly (Flag<string | undefined, FileFlag> & { readonly input: Input })[] =
  Object.values(FLAGS).filter((each): each is Rows[FileMember] => "input" in each);
export const TEXT_FLAGS = FILE_FLAGS.filter(
  (each): each is (typeof FILE_FLAGS)[number] & { readonly name: TextFlag } => each.input.folder !== true,
);

/** A value for every flag that is remembered. */
export function recordedFlags(
  choose: <K extends RecordedMember>(flag: Flag<RecordedFlags[K]>, member: K) => RecordedFlags[K],
): RecordedFlags {
  const values: { -readonly [K in RecordedMember]?: RecordedFlags[K] } = {};
  const put = <K extends RecordedMember>(member: K): void => {
    values[member] = choose(VALUES[member], member);
  };
  RECORDED.forEach(put);
  return values;
}

type InputMember = Exclude<
  With<{ readonly function: "inputs" }>,
  "seed" | With<{ readonly input: { readonly folder: true } }>
>;
type SpecMember = With<{ readonly function: "spec"; readonly recorded: true }>;

/** Members of `spec.inputs` of the function that hold the text of a file, and the flags that they stand for. */
export const FUNCTION_INPUTS = MEMBERS.filter(
  (each): each is InputMember =>
    ROWS[each].function === "inputs" && each !== "seed" && ROWS[each].input?.folder !== true,
).map((member) => [member, FLAGS[member].name] as const);

const OF_SPEC = RECORDED.filter((each): each is SpecMember => ROWS[each].function === "spec");

/** The flags that members of the function's `spec` stand for. */
export function flagsOfSpec(spec: Pick<RecordedFlags, SpecMember>): RecordedFlags {
  const values: { -readonly [K in SpecMember]?: RecordedFlags[K] } = {};
  const put = <K extends SpecMember>(member: K): void => {
    values[member] = spec[member];
  };
  OF_SPEC.forEach(put);
  return values;
}
