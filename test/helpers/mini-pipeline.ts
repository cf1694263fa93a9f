/**
 * A small stand-in for the real pipeline around a real asset directory: it compiles a handful of files from
 * install-config.yaml (JSON here) and the keys of the state, in two phases, the second wrapping what the first
 * leaves on disk. Tests of the directory use it; it knows nothing of OpenShift.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Problem } from "../../src/core/diagnostics.js";
import { decode, encode, type OutputFile } from "../../src/core/files.js";
import {
  type AssetDirectory,
  type CheckResult,
  type CommitRequest,
  checkCluster,
  checkPlans,
  conflictProblems,
  type FileResult,
  INSTALL_CONFIG,
  openDirectory,
  type PhaseName,
  type PhasePlan,
  readDecisions,
  type Sealing,
  summed,
  writeState,
} from "../../src/directory/index.js";
import { writeYaml } from "../../src/text/yaml-write.js";

export interface MiniConfig {
  readonly name: string;
  /** Goes into every plain file. */
  readonly text: string;
  /** Number of the plain files in manifests/. */
  readonly count: number;
  /** Number of the secret files in openshift/. */
  readonly secrets: number;
}

export interface MiniOptions {
  readonly phases?: readonly PhaseName[];
  readonly ours?: readonly string[];
  readonly theirs?: readonly string[];
  readonly dryRun?: boolean;
  readonly consume?: CommitRequest["consume"];
  /** Private keys of the person. */
  readonly identities?: readonly string[];
  /** Secret files are encrypted. */
  readonly sealing?: Sealing | undefined;
}

export interface MiniResult {
  readonly ok: boolean;
  readonly files: readonly FileResult[];
  readonly problems: readonly Problem[];
}

interface Compiled {
  readonly plans: readonly PhasePlan[];
  readonly request: CommitRequest;
  readonly problems: readonly Problem[];
}

const refused = (...problems: readonly Problem[]): MiniResult => ({ ok: false, files: [], problems });
const isError = ({ severity }: Problem): boolean => severity === undefined || severity === "error";

/** What `slipway create` does. */
export async function create(dir: string, options: MiniOptions = {}): Promise<MiniResult> {
  const opened = await openDirectory(dir, {
    write: options.dryRun !== true,
    identities: options.identities ?? [],
  });
  if (!opened.ok) return refused(opened.problem);
  const directory = opened.value;
  try {
    if (directory.problems.some(isError)) return refused(...directory.problems);
    if (directory.closed.length > 0) return refused(...summed(directory.closed));
    const compiled = await compile(directory, dir, options);
    if (compiled === undefined)
      return refused({ code: "DIR001", kind: "NotFound", message: "no install-config and no state" });
    const problems = [...directory.problems, ...compiled.problems, ...conflictProblems(compiled.plans)];
    if (problems.some(isError)) return refused(...problems);
    if (options.dryRun === true)
      return { ok: true, files: directory.preview(compiled.request).results, problems };
    const committed = await directory.commit(compiled.request);
    return committed.ok ? { ok: true, files: committed.value.results, problems } : refused(committed.problem);
  } finally {
    directory.close();
  }
}

/** What `slipway check` does. */
export async function check(
  dir: string,
  options: Pick<MiniOptions, "phases" | "identities"> & { readonly strict?: boolean } = {},
): Promise<CheckResult & { readonly problems: readonly Problem[] }> {
  const opened = await openDirectory(dir, { write: false, identities: options.identities ?? [] });
  if (!opened.ok) return { clean: false, files: [], problems: [opened.problem] };
  const directory = opened.value;
  const run = Object.keys(directory.record?.phases ?? {});
  const phases = options.phases ?? ORDER.filter((phase) => run.includes(phase));
  const compiled = await compile(directory, dir, { phases });
  const result = checkPlans(compiled?.plans ?? [], { strict: options.strict ?? false });
  return { ...result, problems: [...directory.problems, ...(compiled?.problems ?? [])] };
}

const ORDER: readonly PhaseName[] = ["manifests", "infrastructure-manifests"];

async function compile(
  directory: AssetDirectory,
  dir: string,
  { phases = ORDER, ours = [], theirs = [], consume, sealing }: MiniOptions,
): Promise<Compiled | undefined> {
  const config = configOf(directory);
  if (config === undefined) return undefined;
  const { state, record } = directory;
  const stateless = state === undefined && record !== undefined;
  const infraID = state?.clusterID?.infraID ?? record?.cluster.infraID ?? `${config.name}-abcde`;
  const clusterID = { uuid: "00000000-0000-4000-8000-000000000000", infraID };
  const key = state?.rootCA?.key ?? `-----BEGIN RSA PRIVATE KEY-----\n${randomBytes(30).toString("hex")}\n`;
  const decisions = await readDecisions({ ours, theirs }, dir, dir);
  const compare = { rootKey: stateless ? undefined : key, decisions };
  const problems: Problem[] = checkCluster({
    state,
    record,
    name: { value: config.name, file: INSTALL_CONFIG, line: 1, column: 1 },
  });

  const files = manifestsOf(config, key);
  const stateConfig = state?.installConfig?.config;
  const before =
    stateConfig === undefined ? undefined : manifestsOf(parseConfig(JSON.stringify(stateConfig)), key);
  const secretPaths = files.filter(({ secret }) => secret).map(({ path }) => path);
  const manifests = await directory.compare(
    {
      phase: "manifests",
      files: stateless ? files.filter(({ secret }) => !secret) : files,
      unverifiable: stateless ? secretPaths : [],
      ...(before === undefined ? {} : { before }),
    },
    compare,
  );
  const bytes = writeState(state, {
    installConfig: { config: { ...config, metadata: { name: config.name } } },
    clusterID,
    rootCA: { key, certificate: "-----BEGIN CERTIFICATE-----\n" },
    files: files.map(({ path, data }) => ({ path, data })),
  });
  const wrapped = wrap(manifests.after, fingerprintOf(files));
  const plans = [manifests];
  if (phases.includes("infrastructure-manifests"))
    plans.push(
      await directory.compare(
        {
          phase: "infrastructure-manifests",
          files: wrapped.filter(({ secret }) => !stateless || !secret),
          unverifiable: stateless
            ? [
                ...wrapped.filter(({ secret }) => secret).map(({ path }) => path),
                ...secretPaths.map(wrappedPath),
              ]
            : [],
        },
        compare,
      ),
    );
  problems.push(...decisions.problems());
  const facts = { tool: "mini 1" };
  const request: CommitRequest = {
    plans,
    state: bytes,
    cluster: { name: config.name, infraID, clusterID: clusterID.uuid },
    options: {},
    facts: { manifests: facts, "infrastructure-manifests": facts },
    ...(consume === undefined ? {} : { consume }),
    ...(sealing === undefined ? {} : { sealing, gitLayout: "sops" as const }),
  };
  return { plans, request, problems };
}

function configOf({ inputs, state }: AssetDirectory): MiniConfig | undefined {
  const data = inputs.get(INSTALL_CONFIG)?.data;
  const text = data === undefined ? JSON.stringify(state?.installConfig?.config) : decode(data);
  if (text === undefined) return undefined;
  return parseConfig(text);
}

function parseConfig(json: string): MiniConfig {
  const { name, text, count, secrets }: MiniConfig = JSON.parse(json);
  return { name, text, count, secrets };
}

/** Stands for the state, which the second phase wraps. */
export const fingerprintOf = (files: readonly OutputFile[]): string =>
  files.reduce((hash, { data }) => hash.update(data), createHash("sha256")).digest("hex");

export function manifestsOf({ name, text, count, secrets }: MiniConfig, key: string): OutputFile[] {
  const plain = Array.from({ length: count }, (_, i) => ({
    path: `manifests/m${i}.yaml`,
    data: encode(writeYaml({ kind: "ConfigMap", name, text: i % 2 === 0 ? text : "fixed", number: i })),
    secret: false,
  }));
  const secret = Array.from({ length: secrets }, (_, i) => ({
    path: `openshift/s${i}.yaml`,
    data: encode(
      writeYaml({
        kind: "Secret",
        data: { key: createHash("sha256").update(`${key}${i}${text}`).digest("hex") },
      }),
    ),
    secret: true,
  }));
  return [...plain, ...secret];
}

const wrappedPath = (path: string): string =>
  `infrastructure-manifests-secrets/30_${path.replaceAll("/", "_")}`;

export function wrap(files: readonly OutputFile[], fingerprint: string): OutputFile[] {
  const secret = (path: string, value: string): OutputFile => ({
    path,
    data: encode(writeYaml({ kind: "Secret", data: { value } })),
    secret: true,
  });
  return [
    { path: "infrastructure-manifests/00_namespace.yaml", data: encode("kind: Namespace\n"), secret: false },
    secret("infrastructure-manifests-secrets/20_install-state.yaml", fingerprint),
    ...files.map(({ path, data }) => secret(wrappedPath(path), Buffer.from(data).toString("base64"))),
  ];
}
