/**
 * `slipway function`: a KRM function, as kustomize, kpt and Argo CD run one. A ResourceList comes in, and goes out with
 * the objects of a phase. The state is an input, so that the same list gives the same bytes
 * (kubernetes-sigs/kustomize, cmd/config/docs/api-conventions/functions-spec.md).
 */
import { createReporter, type Diagnostic, type Report, sortDiagnostics } from "../core/diagnostics.js";
import { decode, encode, type OutputFile } from "../core/files.js";
import type { Inputs } from "../core/inputs.js";
import { isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { problem } from "../core/problem.js";
import { type Attempt, STATE_FILE } from "../directory/index.js";
import schema from "../generated/schemas/inputs/cluster-function.js";
import type { ClusterFunction } from "../generated/types/cluster-function.js";
import validate from "../generated/validators/cluster-function.js";
import { SHARED_FOLDER } from "../phases/infrastructure-manifests/layout.js";
import { schemaProblems } from "../text/schema-problems.js";
import { isSealedText } from "../text/sealed.js";
import { parseYaml } from "../text/yaml-parse.js";
import { child, readYaml, toJson, type YamlNode } from "../text/yaml-read.js";
import { writeYaml } from "../text/yaml-write.js";
import { type ClusterInput, compileCluster } from "./cluster.js";
import { phaseOf, type Target } from "./create.js";
import { FUNCTION_INPUTS, flagsOfSpec, type TextFlag } from "./flags.js";
import { objectFiles } from "./objects.js";
import type { CompileRequest } from "./request.js";

export interface FunctionContext {
  /** The files of an asset directory on disk. */
  readDirectory(path: string): Promise<Attempt<ReadonlyMap<string, Uint8Array>>>;
  readonly inputs: Inputs;
  readonly identities: readonly string[];
  readonly tool: string;
}

export interface FunctionAnswer {
  /** The ResourceList as YAML: what came in and the objects, or the results that say what is wrong. */
  readonly text: string;
  readonly ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

const LIST_KIND = "ResourceList";
const LIST_GROUP = "config.kubernetes.io/";
/** An item with this annotation is a file of the asset directory: its only value is the text. */
const FILE_ANNOTATION = "slipway.dev/asset-file";
/** An item with this annotation is what a flag names, such as `credentials`. */
const INPUT_ANNOTATION = "slipway.dev/input";
const PATH_ANNOTATIONS = ["config.kubernetes.io/path", "internal.config.kubernetes.io/path"];
const INDEX_ANNOTATIONS = ["config.kubernetes.io/index", "internal.config.kubernetes.io/index"];

/** What items with that annotation can be. */
const INPUTS: readonly (TextFlag | "seed")[] = ["seed", ...FUNCTION_INPUTS.map(([, flag]) => flag)];

const objectAt = (object: JsonObject, ...path: readonly string[]): JsonObject =>
  path.reduce((inner, key) => {
    const next = inner[key];
    return isObject(next) ? next : {};
  }, object);

type Spec = ClusterFunction["spec"];

/** Answers a ResourceList. Every problem is a diagnostic and a result of the list. */
export async function runFunction(text: string, context: FunctionContext): Promise<FunctionAnswer> {
  const reporter = createReporter();
  const { report } = reporter;
  const list = readList(text, report);
  const spec = list === undefined ? undefined : specOf(list, report);
  const answer = (items: readonly Json[]): FunctionAnswer => {
    const diagnostics = sortDiagnostics(reporter.diagnostics);
    const results = diagnostics.map(resultOf);
    const document: JsonObject = {
      apiVersion: list?.apiVersion ?? `${LIST_GROUP}v1`,
      kind: LIST_KIND,
      ...(list?.config === undefined ? {} : { functionConfig: list.config }),
      items,
      ...(results.length === 0 ? {} : { results }),
    };
    return { text: writeYaml(document), ok: !reporter.failed, diagnostics };
  };
  if (list === undefined || spec === undefined || reporter.failed) return answer(list?.items ?? []);
  const input = await inputOf(spec, list, context, report);
  if (input === undefined || reporter.failed) return answer(list.items);
  const compiled = await compileCluster(input);
  // That the folder must not be committed is nothing to one that is never written.
  compiled.diagnostics.filter(({ code }) => code !== "CAPI007").forEach(report);
  if (!compiled.ok) return answer(list.items);
  const made = objectsOf(compiled.files, input.target, spec.sharedObjects);
  const paths = new Set(made.map(pathOf));
  return answer([...list.items.filter((item) => !paths.has(pathOf(item)) || pathOf(item) === ""), ...made]);
}

interface List {
  readonly apiVersion: string;
  readonly config: JsonObject | undefined;
  /** The configuration as it stands in the text, for the places of its faults. */
  readonly configNode: YamlNode | undefined;
  readonly items: readonly Json[];
}

function readList(text: string, report: Report): List | undefined {
  const file = "stdin";
  const { documents, problems } = readYaml(text, file);
  problems.forEach(report);
  const root = documents[0]?.root;
  const value = root === undefined ? undefined : toJson(root);
  const list = isObject(value) ? value : {};
  const apiVersion = textAt(list, "apiVersion");
  if (textAt(list, "kind") !== LIST_KIND || !apiVersion.startsWith(LIST_GROUP)) {
    report(
      problem("FUN001", "Invalid", "", `standard input is not a ${LIST_KIND} of ${LIST_GROUP}v1`, {
        file,
        line: root?.line ?? 1,
        column: root?.column ?? 1,
        hint: "run this command from kustomize, kpt or Argo CD; see docs/function.md",
      }),
    );
    return undefined;
  }
  const { functionConfig, items } = list;
  return {
    apiVersion,
    config: isObject(functionConfig) ? functionConfig : undefined,
    configNode: root === undefined ? undefined : child(root, "functionConfig"),
    items: Array.isArray(items) ? items : [],
  };
}

const isFunction = (value: Json): value is Json & ClusterFunction => validate(value);

/** The spec of the functionConfig; the data of a ConfigMap is one too, as `kpt fn eval -- phase=…` writes it. */
function specOf({ config, configNode }: List, report: Report): Spec | undefined {
  if (config === undefined) {
    report(
      problem("FUN001", "Required", "functionConfig", "the list has no functionConfig", {
        file: "stdin",
        hint: "see slipway explain cluster-function",
      }),
    );
    return undefined;
  }
  const whole: JsonObject =
    textAt(config, "kind") === "ConfigMap"
      ? { apiVersion: "slipway.dev/v1alpha1", kind: "ClusterFunction", spec: objectAt(config, "data") }
      : config;
  if (isFunction(whole)) return whole.spec;
  if (configNode !== undefined)
    for (const problem of schemaProblems(validate.errors ?? [], schema, configNode, "stdin", "FUN001"))
      report({
        hint: "see slipway explain cluster-function",
        ...problem,
        field: `functionConfig.${problem.field ?? ""}`.replace(/\.$/, ""),
      });
  return undefined;
}

async function inputOf(
  spec: Spec,
  { items }: List,
  { readDirectory, inputs, identities, tool }: FunctionContext,
  report: Report,
): Promise<ClusterInput | undefined> {
  const files = new Map<string, Uint8Array>();
  if (spec.directory !== undefined) {
    const read = await readDirectory(spec.directory);
    if (!read.ok) return void report(read.problem);
    for (const [path, data] of read.value) files.set(path, data);
  }
  const texts: { -readonly [K in keyof CompileRequest["texts"]]: CompileRequest["texts"][K] } = {};
  let seed = spec.inputs?.seed;
  for (const { path, input, text } of annotated(items, report)) {
    if (path !== undefined) files.set(path, encode(text));
    if (input === "seed") seed = Buffer.from(text, "latin1").toString("base64");
    else if (input !== undefined) texts[input] = { file: input, text };
  }
  for (const [path, text] of Object.entries(spec.files ?? {})) files.set(path, encode(text));
  for (const [name, key] of FUNCTION_INPUTS) {
    const text = spec.inputs?.[name];
    if (text !== undefined) texts[key] = { file: `functionConfig.spec.inputs.${name}`, text };
  }
  const { customInfrastructure: own, crds } = spec.inputs ?? {};
  if (!files.has(STATE_FILE) && seed === undefined) {
    report(
      problem(
        "FUN002",
        "Required",
        "functionConfig.spec",
        spec.directory !== undefined && files.size === 0
          ? `the folder ${JSON.stringify(spec.directory)} contains no files and no seed is set, so each run would generate keys for another cluster`
          : "no state and no seed is set, so each run would generate keys for another cluster",
        {
          file: "stdin",
          hint: `pass the cluster's ${STATE_FILE} with spec.directory, spec.files or an item with the annotation ${FILE_ANNOTATION}; or set spec.inputs.seed to 32 bytes`,
        },
      ),
    );
    return undefined;
  }
  const { infraID, clusterID, keyAlgorithm } = spec;
  return {
    files,
    target: spec.phase ?? "infrastructure-manifests",
    flags: flagsOfSpec(spec),
    texts,
    ...(own === undefined
      ? {}
      : { customInfrastructure: new Map(Object.entries(own).map(([file, text]) => [file, encode(text)])) }),
    ...(crds === undefined ? {} : { crds: new Map(Object.entries(crds)) }),
    inputs,
    identities,
    tool,
    ...(seed === undefined ? {} : { seed: Buffer.from(seed, "base64") }),
    ...(infraID === undefined ? {} : { infraID }),
    ...(clusterID === undefined ? {} : { clusterID }),
    ...(keyAlgorithm === undefined ? {} : { keyAlgorithm }),
  };
}

interface Annotated {
  readonly path: string | undefined;
  readonly input: TextFlag | "seed" | undefined;
  readonly text: string;
}

/** What Secrets and ConfigMaps among the items are inputs of. */
function annotated(items: readonly Json[], report: Report): readonly Annotated[] {
  return items.flatMap((item, index): Annotated[] => {
    if (!isObject(item)) return [];
    const annotations = objectAt(item, "metadata", "annotations");
    const path = textAt(annotations, FILE_ANNOTATION) || undefined;
    const named = textAt(annotations, INPUT_ANNOTATION) || undefined;
    if (path === undefined && named === undefined) return [];
    const input = INPUTS.find((each) => each === named);
    const raw = [...Object.values(objectAt(item, "data")), ...Object.values(objectAt(item, "stringData"))];
    if (raw.some((value) => typeof value === "string" && isSealedText(value))) {
      report(
        problem("SOPS002", "Forbidden", `items[${index}]`, "the value of this item is encrypted with SOPS", {
          file: "stdin",
          hint: "decrypt it before the function runs, for example with KSOPS, or pass the encrypted file itself in spec.directory or spec.files",
        }),
      );
      return [];
    }
    const values = [
      ...Object.values(objectAt(item, "data")).map((value) =>
        textAt(item, "kind") === "Secret" ? Buffer.from(String(value), "base64").toString("latin1") : value,
      ),
      ...Object.values(objectAt(item, "stringData")),
    ];
    const [text] = values;
    if (values.length !== 1 || typeof text !== "string" || (named !== undefined && input === undefined)) {
      report(
        problem(
          "FUN003",
          "Invalid",
          `items[${index}]`,
          named !== undefined && input === undefined
            ? `unsupported value of ${INPUT_ANNOTATION}`
            : "an input item must contain one value",
          {
            file: "stdin",
            hint:
              named !== undefined && input === undefined
                ? `use one of ${INPUTS.join(", ")}`
                : "split it into several",
          },
        ),
      );
      return [];
    }
    // Bytes of a Secret, of which all inputs but the seed are UTF-8.
    const bytes = textAt(item, "kind") === "Secret" && item["data"] !== undefined;
    const read = bytes && input !== "seed" ? (decode(Buffer.from(text, "latin1")) ?? "") : text;
    return [{ path, input, text: read }];
  });
}

/** The objects of the phase's files, each with the path that it is written to. */
/** What clusters share is in a folder of its own, so that several can be in one kustomization. */
function objectsOf(
  files: readonly OutputFile[],
  target: Target,
  shared: Spec["sharedObjects"] = "separate",
): JsonObject[] {
  return objectFiles(files, phaseOf(target)).flatMap(({ path, data }) => {
    const isShared = path.startsWith(`${SHARED_FOLDER}/`);
    if (shared !== "inline" && isShared !== (shared === "only")) return [];
    const object = parseYaml(decode(data) ?? "");
    return isObject(object) ? [withPath(object, path)] : [];
  });
}

function withPath(object: JsonObject, path: string): JsonObject {
  const metadata = objectAt(object, "metadata");
  const annotations = {
    ...objectAt(metadata, "annotations"),
    ...Object.fromEntries(PATH_ANNOTATIONS.map((name) => [name, path])),
    ...Object.fromEntries(INDEX_ANNOTATIONS.map((name) => [name, "0"])),
  };
  return { ...object, metadata: { ...metadata, annotations } };
}

const pathOf = (item: Json): string => {
  const annotations = isObject(item) ? objectAt(item, "metadata", "annotations") : {};
  return PATH_ANNOTATIONS.map((name) => textAt(annotations, name)).find((path) => path !== "") ?? "";
};

const resultOf = ({ severity, message, hint, file, field, code }: Diagnostic): JsonObject => ({
  message: `${message}${hint === "" ? "" : `; ${hint}`}`,
  severity,
  ...(file === "" ? {} : { file: { path: file } }),
  ...(field === "" ? {} : { field: { path: field } }),
  tags: { code },
});
