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
    title: `Before the upgrade, in ${releaseName(from)}: rewrite the objects that ${releaseName(target)} cannot decode`,
    text: `${markdownTable(["resource", "objects", "file"], rows)}\n\n${migrationCommands(list, migrator)}`,
  };
}

const migrationCommands = (list: Migrations["list"], migrator: Migrations["migrator"]): string =>
  migrator === "none"
    ? `The release has no migrator; rewriting every object has the same effect.\n\n${code(
        ...list.map(
          (each) => `kubectl get ${shellWord(named(each))} --all-namespaces -o json | kubectl replace -f -`,
        ),
      )}`
    : `Each script starts the migration and waits until it ends. It fails if the migration fails.\n\n${code(
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
      : `These values are not lost: one of the configurations contains their keys. None of them is deleted.\n\n${markdownTable(
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
        ? "These values are damaged: no key makes them readable."
        : "Look for these keys before you delete anything; they are listed in `10_keys-to-restore.yaml`. Restoring a key in the configuration of every API server makes its objects readable, and they need not be deleted. Insert it after the key that encrypts. Put `identity: {}` last, so that unencrypted values remain readable.",
    missing.length === 0 ? "" : markdownTable(["provider", "key", "objects", "error", "what to do"], rows),
    identity.length === 0
      ? ""
      : `Unencrypted values of ${identity.map(markdownText).join(", ")} cannot be read because the rule has no identity provider. Append \`identity: {}\` to its providers.`,
    isLost || changes.length + identity.length > 0
      ? `Then take a new copy and compile the plan again into a new folder. The new plan does not contain objects that have become readable. Do not apply anything from this plan after that.\n\n${code(
          "etcdctl snapshot save after-keys.db",
          compileLine(input, ["--snapshot", "after-keys.db"], ["--out", "plan-after-keys"]),
        )}`
      : "",
  ];
  const title = isLost
    ? "Restore lost keys"
    : changes.length + identity.length > 0
      ? "Correct the encryption configuration"
      : "Note the values that no key makes readable";
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
  "An API server lists secrets, configmaps, namespaces and other resources at startup. A server that is started while such a LIST fails responds to requests, but reports `informer-sync failed` in `/readyz` until about one minute after the last deletion. Load balancers and the Service `kubernetes` do not use it during this time. Automation that waits for readiness before restarting the next server also waits. For this step, treat such a server as configured. Select it with `--server` in the following steps.";

export function reload({
  keys: { missing, identity, changes },
  deletions,
  input,
}: RepairPlan): Step | undefined {
  if (missing.filter(mayComeBack).length + identity.length + changes.length === 0) return undefined;
  return {
    title: "Wait until every API server uses the configuration",
    text: `With \`--encryption-provider-config-automatic-reload=true\`, an API server reloads a changed file within about one minute. Without it, restart every server. Wait until all of them use the new configuration: a server with the old one would treat a readable object as unreadable.\n\n${code(
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
    title: "Restore the versions that objects are stored in",
    text: `Until then every LIST of the resource fails. The version is not served. Fields that the schema of the storage version does not contain are lost when an object is written in that version. The API server rejects a patch if the definition has other versions than in the copy. In this case, take a new copy and compile the plan again into a new folder.\n\n${code(
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
    "Do not start earlier: the migration of a resource that cannot be listed never ends.",
    list.length === 0 ? "" : markdownTable(["resource", "older version", "older key", "file"], rows),
    list.length === 0 ? "" : migrationCommands(list, migrator),
    blocked.length === 0
      ? ""
      : `Not migrated because objects remain unreadable: ${blocked.map((each) => `${markdownText(named(each))} (${each.unreadable})`).join(", ")}.`,
    ...lossy.map(
      (each) =>
        `Not migrated: ${markdownText(named(each))}, because ${markdownText(each.reason)}. Then take a new copy and compile the plan again into a new folder.`,
    ),
  ];
  return {
    title: "Rewrite objects that are stored in an older version or with an older key",
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
    ? `\n\nAPI servers from ${TRIMS_SINCE} prune status.storedVersions themselves, even if the migration failed. Only a new copy shows the versions in use: run \`slipway etcd inventory\` before you remove a version.`
    : "";
  return {
    title: "Update status.storedVersions",
    text: `After the migrations have succeeded:\n\n${code(...lines)}${pruned}`,
  };
}
