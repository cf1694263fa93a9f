/** Everything that a platform makes of an install-config, its facts and its credentials, as objects by path. */
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import { decode } from "../../src/core/files.js";
import { isObject, type JsonObject } from "../../src/core/json.js";
import type { CloudFacts } from "../../src/generated/types/cloud-facts.js";
import type { InstallConfigAsset } from "../../src/phases/assets.js";
import type { Credentials, Identity, PlatformModule, SupplementItem } from "../../src/platforms/platform.js";
import { createRenderer } from "../../src/text/render.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { judge, releaseOf } from "./install-configs.js";
import { runManifests } from "./manifests.js";
import { platformOf } from "./platforms.js";

export interface PlatformGiven {
  /** An install-config, as text or as a value. */
  readonly config: string | JsonObject;
  readonly release?: string;
  readonly facts?: Omit<CloudFacts, "apiVersion" | "kind">;
  /** Text of a credentials file. */
  readonly credentials?: string;
  /** Files that the credentials name, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly infraID?: string;
  readonly stream?: JsonObject;
  /** False leaves out the objects of infrastructure-manifests/. */
  readonly infrastructure?: boolean;
}

export interface PlatformRun {
  readonly asset: InstallConfigAsset | undefined;
  readonly platform: PlatformModule | undefined;
  readonly facts: CloudFacts;
  readonly credentials: Credentials | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** `kind field` of every error, sorted, each once; `remarks`: `code field` of everything else. */
  readonly errors: readonly string[];
  readonly remarks: readonly string[];
  /** Objects of manifests/ and openshift/, and those of infrastructure-manifests/ that are the platform's. */
  readonly objects: ReadonlyMap<string, JsonObject>;
  readonly supplement: readonly SupplementItem[];
}

/** Compiles an install-config and makes every object, whatever was reported after it was found to be valid. */
export async function runPlatform(given: PlatformGiven): Promise<PlatformRun> {
  const reporter = createReporter();
  const release = releaseOf(given.release ?? "4.22");
  const judged = judge(given.config, given.release ?? "4.22");
  const { asset } = judged;
  const platform = asset === undefined ? undefined : platformOf(asset.config);
  const none: CloudFacts = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" };
  const objects = new Map<string, JsonObject>();
  let facts = none;
  let credentials: Credentials | undefined;
  let supplement: readonly SupplementItem[] = [];
  if (asset !== undefined && platform !== undefined) {
    const { config } = asset;
    const rules = { release, report: reporter.report };
    for (const problem of platform.cloudRules?.(config) ?? []) reporter.report(problem);
    const sources = {
      facts: given.facts === undefined ? undefined : { ...none, ...given.facts },
      stream: given.stream,
    };
    facts = platform.resolveFacts(config, sources, rules);
    credentials =
      given.credentials === undefined
        ? undefined
        : platform.readCredentials?.(
            given.credentials,
            "credentials",
            { ...rules, facts, readFile: (path) => given.files?.[path] },
            config,
          );
    const identity: Identity = {
      infraID: given.infraID ?? "gannet-abcde",
      clusterID: "00000000-0000-4000-8000-000000000000",
    };
    const run = await runManifests({
      config,
      normalForm: asset.normalForm,
      ...(given.release === undefined ? {} : { release: given.release }),
      platform,
      facts,
      credentials,
      ...identity,
    });
    run.diagnostics.forEach(reporter.report);
    for (const { path, data } of run.files) {
      const value = parseYaml(decode(data) ?? "");
      if (isObject(value)) objects.set(path, value);
    }
    const input = { config, identity, facts, credentials, release };
    const infrastructure =
      given.infrastructure === false
        ? { objects: [] }
        : platform.infrastructure(
            {
              ...input,
              namespace: identity.infraID,
              controllerNamespace: platform.controllerNamespace ?? "capi-system",
            },
            rules,
          );
    const render = await createRenderer(
      [
        ...new Set(
          infrastructure.objects.map(({ template }) => template.slice(0, template.lastIndexOf("/"))),
        ),
      ],
      reporter.report,
    );
    for (const { template, view, path } of infrastructure.objects)
      objects.set(`infrastructure-manifests/${path}`, render.object(template, view));
    supplement = platform.supplement(input);
  }
  const diagnostics = [...judged.diagnostics, ...reporter.diagnostics];
  const list = (severe: boolean, print: (each: Diagnostic) => string) =>
    [...new Set(diagnostics.filter(({ severity }) => (severity === "error") === severe).map(print))].sort();
  return {
    asset,
    platform,
    facts,
    credentials,
    diagnostics,
    errors: list(true, ({ kind, field }) => `${kind} ${field}`),
    remarks: list(false, ({ code, field }) => `${code} ${field}`),
    objects,
    supplement,
  };
}
