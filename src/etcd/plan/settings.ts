/**
 * Gates and runtime configuration that a plan needs, on every server first and off at the end
 * (docs/reference/storage-and-encryption.md §3.1, §4.1).
 */
import { isSince } from "../../core/by-release.js";
import type { OutputFile } from "../../core/files.js";
import { migrationApi } from "../../kubernetes/storage-migration.js";
import type { Renderer } from "../../text/render.js";
import { type Minor, releaseName } from "../releases.js";
import { FEATURE_GATE, NEWER_SINCE } from "../status.js";
import type { Judge } from "../verdict.js";
import type { Migrations } from "./migrations.js";

/** One setting of one component. */
export type Setting = {
  readonly component: string;
  readonly on: string;
  readonly setting: string;
  readonly why: string;
};

export interface Settings {
  readonly before: readonly Setting[];
  readonly after: readonly Setting[];
  readonly files: readonly OutputFile[];
}

const EVERY = "each server in turn, before the next step";

export function compileSettings(
  { target, from }: Judge,
  deletions: number,
  migrations: Migrations,
  beforeUpgrade: Migrations,
  render: Renderer,
): Settings {
  const before: Setting[] = [];
  const after: Setting[] = [];
  const gate = (component: string, name: string, why: string): void => {
    before.push({ component, on: EVERY, setting: `--feature-gates=${name}=true`, why });
    after.push({
      component,
      on: "every server",
      setting: `remove --feature-gates=${name}=true`,
      why: "the plan is done",
    });
  };
  if (deletions > 0) {
    if (!isSince(target, NEWER_SINCE))
      gate(
        "kube-apiserver",
        FEATURE_GATE,
        "alpha and off by default; without it the API server silently drops the delete option",
      );
    else
      before.push({
        component: "kube-apiserver",
        on: "every server",
        setting: `check that --feature-gates does not set ${FEATURE_GATE}=false`,
        why: "beta and on by default",
      });
  }
  if (migrations.migrator === "in-tree" && migrations.list.length > 0)
    migratorSettings(target, before, after, gate);
  if (from !== undefined && beforeUpgrade.migrator === "in-tree" && beforeUpgrade.list.length > 0) {
    const early: Setting[] = [];
    migratorSettings(from, early, [], (component, name, why) =>
      early.push({ component, on: "", setting: `--feature-gates=${name}=true`, why }),
    );
    before.unshift(
      ...early.map((each) => ({ ...each, on: `every server of ${releaseName(from)}, before the upgrade` })),
    );
  }
  if (before.length === 0) return { before, after, files: [] };
  const view = { release: releaseName(target), before, after };
  return {
    before,
    after,
    files: [render.file("etcd/server-settings.yaml", view, "20_server-settings.yaml")],
  };
}

function migratorSettings(
  target: Minor,
  before: Setting[],
  after: Setting[],
  gate: (component: string, name: string, why: string) => void,
): void {
  const api = migrationApi(target, false);
  if (api.gate === undefined) {
    before.push({
      component: "kube-controller-manager",
      on: "every server",
      setting: "check that --feature-gates does not set StorageVersionMigrator=false",
      why: "runs the migrations",
    });
    return;
  }
  const why = `${api.gate} and off by default`;
  gate("kube-apiserver", "StorageVersionMigrator", why);
  gate("kube-controller-manager", "StorageVersionMigrator", `${why}; runs the migrations`);
  if (api.alsoNeeds !== undefined)
    gate("kube-apiserver", api.alsoNeeds, `required by the migrator in ${releaseName(target)}`);
  const setting = `--runtime-config=${api.apiVersion}=true`;
  before.push({
    component: "kube-apiserver",
    on: EVERY,
    setting,
    why: "the migration API is not served by default",
  });
  after.push({
    component: "kube-apiserver",
    on: "every server",
    setting: `remove ${setting}`,
    why: "the plan is done",
  });
}
