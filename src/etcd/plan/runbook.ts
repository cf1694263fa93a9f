/** The plan as a document for the person who carries it out. */

import { counted } from "../../core/counted.js";
import { codeSpan, markdownTable, markdownText } from "../../text/markdown.js";
import { commandLine } from "../../text/shell.js";
import { releaseName } from "../releases.js";
import type { Deletion, RepairPlan } from "./compile.js";
import {
  access,
  administrator,
  createAgain,
  deletionStep,
  gone,
  misplaced,
  namespaceStep,
  recover,
  removal,
  removeFromEtcd,
  revisions,
} from "./runbook-deletions.js";
import {
  beforeUpgrade,
  keys,
  migrations,
  reload,
  restoreVersions,
  settings,
  storedVersions,
} from "./runbook-servers.js";
import { code, SHOWN, type Step } from "./runbook-step.js";
import { CLUSTER_WARNING, SUPPORT_WARNING } from "./warnings.js";

export function writeRunbook(plan: RepairPlan, openshift: boolean): string {
  const { input, deletions } = plan;
  const sections = [
    head(plan),
    ...(nothing(plan) ? ["There is nothing to repair.\n"] : []),
    ...(deletions.length === 0
      ? []
      : [`> **WARNING:** ${CLUSTER_WARNING}\n>\n> **WARNING:** ${SUPPORT_WARNING}\n`]),
    ...(openshift ? [OPENSHIFT] : []),
  ];
  const steps = [
    backup(),
    beforeUpgrade(plan),
    keys(plan),
    removeFromEtcd(plan),
    settings("Configure the API servers", plan.settings.before, "20_server-settings.yaml"),
    reload(plan),
    restoreVersions(plan),
    recover(plan),
    access(plan),
    revisions(plan),
    deletionStep(plan),
    administrator(plan),
    misplaced(plan),
    gone(plan),
    createAgain(plan),
    namespaceStep(plan),
    migrations(plan),
    storedVersions(plan),
    removal(plan),
    settings("Restore the settings of the API servers", plan.settings.after, "20_server-settings.yaml"),
    check(plan),
  ].filter((each): each is Step => each !== undefined);
  const numbered = nothing(plan)
    ? []
    : steps.map(({ title, text }, i) => `## ${i + 1}. ${title}\n\n${text}\n`);
  return [
    ...sections,
    ...numbered,
    leftAlone(plan),
    ...(input.candidates.deletions.length === 0 ? [] : [details(deletions)]),
  ]
    .filter((each) => each !== "")
    .join("\n");
}

const nothing = ({ input, deletions, keys, definitions, migrations, beforeUpgrade }: RepairPlan): boolean =>
  input.candidates.misplaced.length +
    input.candidates.fatal.length +
    beforeUpgrade.list.length +
    deletions.length +
    keys.missing.length +
    keys.identity.length +
    keys.changes.length +
    definitions.list.length +
    migrations.list.length +
    migrations.blocked.length +
    migrations.lossy.length ===
  0;

function head({ input, digest, armed, deletions, requests }: RepairPlan): string {
  const hasJob = requests.some(({ path }) => path.startsWith("45_"));
  const jobState = !hasJob
    ? ""
    : armed
      ? " The Job is **armed**: it runs as soon as it is applied."
      : " The Job is suspended.";
  const copies = input.copies.map(({ file, revision }) => `- ${codeSpan(file)} at revision ${revision}`);
  const scope = input.namespace === undefined ? "" : ` in namespace ${markdownText(input.namespace)}`;
  return [
    `# Repair plan for objects that Kubernetes ${releaseName(input.judge.target)} cannot read${scope}\n`,
    "Compiled from:\n",
    ...copies,
    "",
    `${counted(deletions.length, "object", "objects")} to delete. Digest of the plan: ${codeSpan(digest)}.${jobState} Run all commands from this folder.\n`,
  ].join("\n");
}

const OPENSHIFT = `On OpenShift, a feature gate of the API server is set with the feature set CustomNoUpgrade, which cannot be undone and
prevents updates of the cluster. Contact support first. Restoring the keys requires no feature gate.
`;

const backup = (): Step => ({
  title: "Take a backup",
  text: `The copy may be out of date. Take a snapshot to restore from, and keep it until the repair is complete.\n\n${code("etcdctl snapshot save before-repair.db")}`,
});

const check = ({ input: { judge, readFlags } }: RepairPlan): Step => {
  const again = ["--snapshot", "after-repair.db", "--release", releaseName(judge.target), ...readFlags];
  return {
    title: "Take a new copy and check it",
    text: `${code("etcdctl snapshot save after-repair.db", commandLine(["slipway", "etcd", "audit", ...again]))}\n\nExit code 0 means that every object can be read.`,
  };
};

function leftAlone({ input }: RepairPlan): string {
  const { leftAlone: list } = input.candidates;
  if (list.length === 0) return "";
  const rows = list.slice(0, SHOWN).map(({ key, reason }) => [codeSpan(key), markdownText(reason)]);
  const more = list.length > SHOWN ? `\n\n… and ${list.length - SHOWN} more in \`plan.json\`.` : "";
  return `## Unreadable objects not in this plan\n\n${markdownTable(["key", "why"], rows)}${more}\n`;
}

function details(deletions: readonly Deletion[]): string {
  const rows = deletions
    .slice(0, SHOWN)
    .map(({ candidate, warning }) => [
      codeSpan(candidate.failure.key),
      candidate.failure.modRevision.toString(),
      markdownText(candidate.failure.error),
      markdownText(warning.text.join("; ")),
    ]);
  const more =
    deletions.length > SHOWN
      ? `\n\n… and ${deletions.length - SHOWN} more in \`plan.json\`, with the check and the watch event of each.`
      : "";
  return `## Deletions\n\n${markdownTable(["key", "revision", "error", "warning"], rows)}${more}\n`;
}
