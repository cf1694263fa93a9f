/** Steps at servers and definitions: keys, settings, and the versions and keys that objects are stored with. */
import { isSince } from "../../core/by-release.js";
import { TRIMS_SINCE } from "../../kubernetes/storage-migration.js";
import { codeSpan, markdownTable, markdownText } from "../../text/markdown.js";
import { commandLine, shellWord } from "../../text/shell.js";
import { releaseName } from "../releases.js";
import { FEATURE_GATE, NEWER_SINCE } from "../status.js";
import type { RepairPlan } from "./compile.js";
import { actionOf, mayComeBack } from "./keys.js";
import type { Migrations } from "./migrations.js";
import { code, compileLine, type Step } from "./runbook-step.js";
import type { Setting } from "./settings.js";

const patchLine = (name: string, ...flags: readonly string[]): string =>
  commandLine(["kubectl", "patch", "customresourcedefinition", name, ...flags]);

const named = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
  group === "" ? resource : `${resource}.${group}`;

export function beforeUpgrade({ beforeUpgrade: { list, migrator }, input }: RepairPlan): Step | undefined {
  const { from, target } = input.judge;
  if (list.length === 0 || from === undefined) return undefined;
  const rows = list.map((each) => [markdownText(named(each)), String(each.older), each.file ?? ""]);
  return {
    title: `Before the upgrade, in ${releaseName(from)}: rewrite what ${releaseName(target)} cannot decode`,
    text: `${markdownTable(["resource", "objects", "file"], rows)}\n\n${migrationCommands(list, migrator)}`,
  };
}

const migrationCommands = (list: Migrations["list"], migrator: Migrations["migrator"]): string =>
  migrator === "none"
    ? `The release has no migrator; a write of every object does the same.\n\n${code(
        ...list.map(
          (each) => `kubectl get ${shellWord(named(each))} --all-namespaces -o json | kubectl replace -f -`,
        ),
      )}`
    : `Each script makes the migration and waits for its end; it fails when the migration does.\n\n${code(
        ...list.map(({ script }) => commandLine(["sh", script ?? ""])),
      )}`;

export function keys({ keys: { missing, identity, changes }, input }: RepairPlan): Step | undefined {
  if (missing.length + identity.length + changes.length === 0) return undefined;
  const rows = missing.map((each) => [
    markdownText(each.provider),
    markdownText(each.keyName),
    String(each.objects),
    markdownText(each.error),
    actionOf(each),
  ]);
  const isLost = missing.some(mayComeBack);
  const parts = [
    changes.length === 0
      ? ""
      : `These values are not lost: a configuration that was given has their keys, and nothing of them is deleted.\n\n${markdownTable(
          ["configuration", "change", "objects", "such as"],
          changes.map(({ file, change, objects, example }) => [
            markdownText(file),
            change,
            String(objects),
            codeSpan(example),
          ]),
        )}`,
    missing.length === 0
      ? ""
      : !isLost
        ? "These values are damaged: no key makes them readable, so there is none to look for."
        : "Look for these keys before anything is deleted; `10_keys-to-restore.yaml` has the list. A key that is back in the configuration of every server makes its objects readable, and the deletions needless. Put it after the key that writes, and `identity: {}` last, so that plain values stay readable.",
    missing.length === 0 ? "" : markdownTable(["provider", "key", "objects", "error", "what to do"], rows),
    identity.length === 0
      ? ""
      : `Plain values of ${identity.map(markdownText).join(", ")} are not readable, since the rule has no identity provider: add \`identity: {}\` at its end.`,
    isLost || changes.length + identity.length > 0
      ? `Afterwards take a new copy and compile the plan again: what is readable then is no longer in it. It takes a new folder, and this one is done with: nothing more of it is applied.\n\n${code(
          "etcdctl snapshot save after-keys.db",
          compileLine(input, ["--snapshot", "after-keys.db"], ["--out", "plan-after-keys"]),
        )}`
      : "",
  ];
  const title = isLost
    ? "Put lost keys back"
    : changes.length + identity.length > 0
      ? "Correct the encryption configuration"
      : "Know the values that no key makes readable";
  return { title, text: parts.filter((each) => each !== "").join("\n\n") };
}

export function settings(title: string, list: readonly Setting[], file: string): Step | undefined {
  if (list.length === 0) return undefined;
  const rows = list.map((each) => [each.component, each.setting, each.on, each.why]);
  return {
    title,
    text: `From ${codeSpan(file)}:\n\n${markdownTable(["component", "setting", "on", "why"], rows)}`,
  };
}

/** Seen on a running kube-apiserver 1.36.0 that was started with unreadable secrets and configmaps. */
const NOT_READY =
  "A server lists secrets, configmaps, namespaces and others for itself. One that is started while such a LIST fails answers requests, and stays at `informer-sync failed` in `/readyz` until about a minute after the last deletion: load balancers and the Service `kubernetes` leave it out, and whatever waits for it before the next server is restarted waits as well. Such a server counts as set up here; name it with `--server` for the next steps.";

export function reload({
  keys: { missing, identity, changes },
  deletions,
  input,
}: RepairPlan): Step | undefined {
  if (missing.filter(mayComeBack).length + identity.length + changes.length === 0) return undefined;
  return {
    title: "Wait until every server uses the configuration",
    text: `With \`--encryption-provider-config-automatic-reload=true\` a server notices a changed file within about a minute; without it every server has to be restarted. Wait until each has: a server with the old configuration answers differently, and would take a readable object for unreadable.\n\n${code(
      "kubectl get --raw /readyz?verbose   # on every server",
      ...(isSince(input.judge.target, NEWER_SINCE) || deletions.length === 0
        ? []
        : [
            `kubectl get --raw /metrics | grep 'kubernetes_feature_enabled{name="${FEATURE_GATE}"'   # 1 on every server`,
          ]),
    )}${deletions.length === 0 ? "" : `\n\n${NOT_READY}`}`,
  };
}

export function restoreVersions({ definitions }: RepairPlan): Step | undefined {
  const list = definitions.list.filter(({ restore }) => restore.length > 0);
  if (list.length === 0) return undefined;
  return {
    title: "Make versions known again that objects are stored in",
    text: `Until then every LIST of the resource fails. The version is served to nobody. What the schema of the storage version does not have is gone once an object is written in that version. A patch is refused when the definition has other versions by now than in the copy: then take a new copy and compile the plan again into a new folder.\n\n${code(
      ...list.map(({ name }) =>
        patchLine(name, "--type=json", `--patch-file=21_restore-versions-${name}.json`),
      ),
    )}`,
  };
}

export function migrations({ migrations: { list, blocked, lossy, migrator } }: RepairPlan): Step | undefined {
  if (list.length + blocked.length + lossy.length === 0) return undefined;
  const rows = list.map((each) => [
    markdownText(named(each)),
    String(each.older),
    String(each.stale),
    each.file ?? "",
  ]);
  const parts = [
    "Only now: a migration of a resource that cannot be listed waits for ever.",
    list.length === 0 ? "" : markdownTable(["resource", "older version", "older key", "file"], rows),
    list.length === 0 ? "" : migrationCommands(list, migrator),
    blocked.length === 0
      ? ""
      : `Not migrated, since objects stay unreadable: ${blocked.map((each) => `${markdownText(named(each))} (${each.unreadable})`).join(", ")}.`,
    ...lossy.map(
      (each) =>
        `Not migrated: ${markdownText(named(each))}. Now ${markdownText(each.reason)}; then take a new copy and compile the plan again into a new folder.`,
    ),
  ];
  return {
    title: "Rewrite what is stored in an older version or with an older key",
    text: parts.filter((each) => each !== "").join("\n\n"),
  };
}

export function storedVersions({ definitions }: RepairPlan): Step | undefined {
  const lines = definitions.list.flatMap(({ name, files, prunedByServer, storageVersion }) => [
    ...(prunedByServer
      ? [
          // The server prunes the list after the migration.
          "left=120",
          `until [ "$(kubectl get customresourcedefinition ${shellWord(name)} -o jsonpath='{.status.storedVersions[*]}')" = ${shellWord(storageVersion)} ]; do`,
          '  left=$((left - 1)); [ "$left" -gt 0 ] || exit 1; sleep 1',
          "done",
        ]
      : []),
    ...(files.includes(`60_stored-versions-${name}.json`)
      ? [
          patchLine(
            name,
            "--subresource=status",
            "--type=json",
            `--patch-file=60_stored-versions-${name}.json`,
          ),
        ]
      : []),
    ...(files.includes(`61_drop-versions-${name}.json`)
      ? [patchLine(name, "--type=json", `--patch-file=61_drop-versions-${name}.json`)]
      : []),
  ]);
  if (lines.length === 0) return undefined;
  const pruned = definitions.list.some(({ prunedByServer }) => prunedByServer)
    ? `\n\nServers from ${TRIMS_SINCE} on prune status.storedVersions themselves, also when the migration failed. Only a new copy shows what is stored: \`slipway etcd inventory\` before a version is removed.`
    : "";
  return {
    title: "Bring status.storedVersions in line",
    text: `After the migrations have succeeded:\n\n${code(...lines)}${pruned}`,
  };
}
