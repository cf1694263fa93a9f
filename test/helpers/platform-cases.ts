/**
 * Everything that slipway makes of one install-config of any platform, in process, and the shared cases of what the real
 * installer wrote and answered for a platform.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createReporter, type Diagnostic, isError } from "../../src/core/diagnostics.js";
import { decode } from "../../src/core/files.js";
import { isObject, type Json, type JsonObject } from "../../src/core/json.js";
import type { CloudFacts } from "../../src/generated/types/cloud-facts.js";
import type { InstallConfigAsset } from "../../src/phases/assets.js";
import { compileInstallConfig } from "../../src/phases/install-config/index.js";
import { readInstallConfig } from "../../src/phases/install-config/read.js";
import type { Credentials, InfrastructureInput, PlatformModule } from "../../src/platforms/platform.js";
import { createRenderer } from "../../src/text/render.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { releaseOf } from "./install-configs.js";
import { runManifests } from "./manifests.js";
import { platformOf } from "./platforms.js";
import { comparable } from "./upstream.js";

export interface CaseGiven {
  readonly facts?: CloudFacts["aws"] | object;
  readonly stream?: JsonObject;
  readonly credentials?: Credentials;
  readonly release?: string;
  /** The cluster's name and `-abcde` when it is not given. */
  readonly infraID?: string;
}

export interface CaseMade {
  /** Undefined when the install-config is refused; then nothing else is made. */
  readonly asset: InstallConfigAsset | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Errors as `code kind field`, sorted. */
  readonly errors: readonly string[];
  readonly input: InfrastructureInput | undefined;
  /** Files of manifests/ and openshift/ by path, in the form of {@link comparable}. */
  readonly files: ReadonlyMap<string, Json>;
  /** Cluster API objects by file name. */
  readonly infrastructure: ReadonlyMap<string, JsonObject>;
  readonly platform: PlatformModule | undefined;
}

const isFacts = (value: object): value is CloudFacts => "apiVersion" in value && "kind" in value;

/** Facts of one platform as a whole document. */
export function factsOf(members: object): CloudFacts {
  const facts = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts", ...members };
  if (!isFacts(facts)) throw new Error("no facts");
  return facts;
}

/** Compiles an install-config, its manifests and its Cluster API objects; `facts` is `{ NAME: … }`. */
export async function makeCase(text: string, given: CaseGiven = {}): Promise<CaseMade> {
  const reporter = createReporter();
  const release = releaseOf(given.release ?? "4.22");
  const told = given.facts === undefined ? undefined : factsOf(given.facts);
  const read = readInstallConfig(text, "install-config.yaml", { release, lenient: false }, reporter.report);
  const platform = read === undefined ? undefined : platformOf(read.config);
  const asset =
    read === undefined
      ? undefined
      : compileInstallConfig(read, { release, platform, facts: told }, reporter.report);
  const errors = (): readonly string[] =>
    [
      ...new Set(
        reporter.diagnostics.filter(isError).map(({ code, kind, field }) => `${code} ${kind} ${field}`),
      ),
    ].sort();
  const nothing = { files: new Map<string, Json>(), infrastructure: new Map<string, JsonObject>() };
  if (asset === undefined || platform === undefined)
    return {
      asset: undefined,
      diagnostics: reporter.diagnostics,
      errors: errors(),
      input: undefined,
      platform,
      ...nothing,
    };

  const { config } = asset;
  const rules = { release, report: reporter.report };
  platform.cloudRules?.(config).forEach(reporter.report);
  const facts = platform.resolveFacts(config, { facts: told, stream: given.stream }, rules);
  const infraID = given.infraID ?? `${config.metadata.name}-abcde`;
  const clusterID = "00000000-0000-0000-0000-000000000000";
  const input: InfrastructureInput = {
    config,
    facts,
    identity: { infraID, clusterID },
    credentials: given.credentials,
    release,
    namespace: infraID,
    controllerNamespace: platform.controllerNamespace ?? "capi-system",
  };
  if (reporter.failed)
    return { asset, diagnostics: reporter.diagnostics, errors: errors(), input, platform, ...nothing };
  const run = await runManifests({
    config,
    normalForm: asset.normalForm,
    position: asset.position,
    release: given.release ?? "4.22",
    platform,
    infraID,
    clusterID,
    facts,
    ...(given.credentials === undefined ? {} : { credentials: given.credentials }),
  });
  const { objects } = platform.infrastructure(input, rules);
  // What the provider refuses is not rendered.
  const shown = reporter.failed ? [] : objects;
  const folders = [...new Set(shown.map(({ template }) => template.slice(0, template.lastIndexOf("/"))))];
  const renderer = await createRenderer(folders, reporter.report);
  return {
    asset,
    diagnostics: [...reporter.diagnostics, ...run.diagnostics],
    errors: [
      ...errors(),
      ...run.diagnostics.filter(isError).map(({ code, kind, field }) => `${code} ${kind} ${field}`),
    ],
    input,
    platform,
    files: new Map(run.files.map(({ path, data }) => [path, comparable(path, decode(data) ?? "")])),
    infrastructure: new Map(shown.map(({ template, view, path }) => [path, renderer.object(template, view)])),
  };
}

/** An object of a case's folder. */
export function objectIn(folder: string, file: string): JsonObject {
  const value = parseYaml(readFileSync(join(folder, file), "utf8"));
  if (!isObject(value)) throw new Error(`${file} is not an object`);
  return value;
}

/** The files of manifests/ and openshift/ of a case that holds some of them, in the form of {@link comparable}. */
export const filesIn = (folder: string): ReadonlyMap<string, Json> =>
  new Map(
    ["manifests", "openshift"]
      .filter((part) => existsSync(join(folder, part)))
      .flatMap((part) => readdirSync(join(folder, part)).map((name) => `${part}/${name}`))
      .sort()
      .map((path) => [path, comparable(path, readFileSync(join(folder, path), "utf8"))]),
  );

export interface Answer {
  readonly id: string;
  readonly platform: string;
  readonly config: string;
  readonly errors: readonly { readonly type: string; readonly field: string }[];
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && "id" in value && "config" in value && "errors" in value;

/** The answers of the real validator for a platform. */
export const answersOf = (path: string, platform: string): readonly Answer[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))
    .filter(isAnswer)
    .filter((answer) => answer.platform === platform);
