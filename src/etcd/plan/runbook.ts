/** The plan as a document for the person who carries it out. */
import { isSince } from "../../core/by-release.js";
import { codeBlock, codeSpan, markdownTable, markdownText } from "../../text/markdown.js";
import { commandLine, pathWord, shellWord } from "../../text/shell.js";
import { unsafeGrants } from "../inventory.js";
import { releaseName } from "../releases.js";
import { FEATURE_GATE, NEWER_SINCE } from "../status.js";
import { counted } from "../words.js";
import { ROLE_NAME } from "./access.js";
import type { Deletion, RepairPlan } from "./compile.js";
import { actionOf, mayComeBack } from "./keys.js";
import type { Migrations } from "./migrations.js";
import { FILES, IMAGE_PLACEHOLDER, supportsDryRun } from "./requests.js";
import type { Setting } from "./settings.js";
import { subjectText } from "./subject.js";
import { CLUSTER_WARNING, SUPPORT_WARNING } from "./warnings.js";

const SHOWN = 50;

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
    settings("Set up the servers", plan.settings.before, "20_server-settings.yaml"),
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
    settings("Set the servers back", plan.settings.after, "20_server-settings.yaml"),
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

interface Step {
  readonly title: string;
  readonly text: string;
}

const nothing = ({ input, deletions, keys, definitions, migrations, beforeUpgrade }: RepairPlan): boolean =>
  input.candidates.misplaced.length +
    beforeUpgrade.list.length +
    deletions.length +
    keys.missing.length +
    keys.identity.length +
    keys.changes.length +
    definitions.list.length +
    migrations.list.length ===
  0;

const applyLine = (path: string): string => `kubectl apply -f ${pathWord(path)}`;
const patchLine = (name: string, ...flags: readonly string[]): string =>
  commandLine(["kubectl", "patch", "customresourcedefinition", name, ...flags]);
const code = (...lines: readonly string[]): string => codeBlock(lines);

function head({ input, digest, armed, deletions, requests }: RepairPlan): string {
  const hasJob = requests.some(({ path }) => path.startsWith("45_"));
  const jobState = !hasJob
    ? ""
    : armed
      ? " The Job is **armed**: it runs as soon as it is applied."
      : " The Job is suspended.";
  const copies = input.copies.map(({ file, revision }) => `- ${codeSpan(file)} at revision ${revision}`);
  const scope = input.namespace === undefined ? "" : ` in the namespace ${markdownText(input.namespace)}`;
  return [
    `# Repair of what Kubernetes ${releaseName(input.judge.target)} cannot read${scope}\n`,
    "Compiled from:\n",
    ...copies,
    "",
    `${counted(deletions.length, "object is", "objects are")} to be deleted. Digest of the plan: ${codeSpan(digest)}.${jobState}\n`,
  ].join("\n");
}

const OPENSHIFT = `On OpenShift a feature gate of the API server is set with the feature set CustomNoUpgrade, which cannot be taken
back and ends updates of the cluster. Ask for support before; restoring the keys needs no gate.
`;

const backup = (): Step => ({
  title: "Take a backup",
  text: `The copy may be old by now. Take a snapshot that you can go back to, and keep it until the end.\n\n${code("etcdctl snapshot save before-repair.db")}`,
});

function beforeUpgrade({ beforeUpgrade: { list, migrator }, input }: RepairPlan): Step | undefined {
  const { from, target } = input.judge;
  if (list.length === 0 || from === undefined) return undefined;
  const rows = list.map((each) => [markdownText(named(each)), String(each.older), each.file ?? ""]);
  return {
    title: `Before the upgrade, in ${releaseName(from)}: rewrite what ${releaseName(target)} cannot decode`,
    text: `${markdownTable(["resource", "objects", "file"], rows)}\n\n${migrationCommands(list, migrator)}`,
  };
}

const named = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
  group === "" ? resource : `${resource}.${group}`;

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

function keys({ keys: { missing, identity, changes } }: RepairPlan): Step | undefined {
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
      ? "Afterwards take a new copy and compile the plan again: what is readable then is no longer in it."
      : "",
  ];
  const title = isLost
    ? "Put lost keys back"
    : changes.length + identity.length > 0
      ? "Correct the encryption configuration"
      : "Know the values that no key makes readable";
  return { title, text: parts.filter((each) => each !== "").join("\n\n") };
}

function settings(title: string, list: readonly Setting[], file: string): Step | undefined {
  if (list.length === 0) return undefined;
  const rows = list.map((each) => [each.component, each.setting, each.on, each.why]);
  return {
    title,
    text: `From ${codeSpan(file)}:\n\n${markdownTable(["component", "setting", "on", "why"], rows)}`,
  };
}

function reload({ keys: { missing, identity, changes }, deletions, input }: RepairPlan): Step | undefined {
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

function restoreVersions({ definitions }: RepairPlan): Step | undefined {
  const list = definitions.list.filter(({ restore }) => restore.length > 0);
  if (list.length === 0) return undefined;
  return {
    title: "Make versions known again that objects are stored in",
    text: `Until then every LIST of the resource fails. The version is served to nobody.\n\n${code(
      ...list.map(({ name }) =>
        patchLine(name, "--type=json", `--patch-file=21_restore-versions-${name}.json`),
      ),
    )}`,
  };
}

const RECOVERED = "recovered";

/** Objects whose content the copy has, although the release cannot decode them or their key is another one's. */
const recoverable = ({ deletions, input }: RepairPlan): number =>
  deletions.filter(({ candidate }) => candidate.recoverable).length + input.candidates.misplaced.length;

function recover(plan: RepairPlan): Step | undefined {
  const count = recoverable(plan);
  if (count === 0) return undefined;
  const { copyFlags, readFlags, judge } = plan.input;
  const words = [
    ...["slipway", "etcd", "extract", "--plan", "plan.json", "--as", "yaml", "--out", RECOVERED],
    ...["--release", releaseName(judge.target), ...copyFlags, ...readFlags],
  ];
  return {
    title: "Keep the content of what can be read from the copy",
    text: `${counted(count, "object is", "objects are")} written as files from the copy, cleaned of what the server fills in, into the folder \`${RECOVERED}\`. A warning names each that needs a look.\n\n${code(commandLine(words))}`,
  };
}

function createAgain(plan: RepairPlan): Step | undefined {
  if (recoverable(plan) === 0) return undefined;
  return {
    title: "Create the objects again",
    text: `What the extraction warned of is corrected in the files first. An object that somebody has created again meanwhile stays as it is.\n\n${code(
      `for file in ${RECOVERED}/*; do`,
      // An apply would write over it, leave out members that are null, and refuse large objects.
      '  kubectl create -f "$file" || kubectl get -f "$file" || exit 1',
      "done",
    )}`,
  };
}

function revisions({ deletions, input }: RepairPlan): Step | undefined {
  if (deletions.length + input.candidates.misplaced.length === 0) return undefined;
  return {
    title: "Check that nobody has written these objects since",
    text: `Where another server writes with a key that this one does not have, an object may be new and still unreadable here. etcd itself knows: the check fails when a revision is not that of the copy.\n\n${code(`sh ${FILES.checkRevisions} ${FILES.revisions}`)}`,
  };
}

function misplaced({ input }: RepairPlan): Step | undefined {
  const { misplaced: list } = input.candidates;
  if (list.length === 0) return undefined;
  const rows = list.slice(0, SHOWN).map(({ key, reason }) => [codeSpan(key), markdownText(reason)]);
  const more = list.length > SHOWN ? `\n\n… and ${list.length - SHOWN} more in \`plan.json\`.` : "";
  return {
    title: "Delete what is not the object of its key",
    text: `A server reads these, so an ordinary DELETE removes them, unless somebody has written them since; they are created again below, under the names of their keys.\n\n${markdownTable(["key", "why"], rows)}${more}\n\n${code(
      "while read -r revision path; do",
      `  printf '{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"resourceVersion":"%s"}}' "$revision" |`,
      '    kubectl delete --raw "$path" -f - || ! kubectl get --raw "$path" || exit 1',
      `done < ${FILES.misplaced}`,
    )}`,
  };
}

function gone({ deletions }: RepairPlan): Step | undefined {
  if (deletions.length === 0) return undefined;
  const files = [
    ...(deletions.some(({ byAdministrator }) => !byAdministrator) ? [FILES.requests] : []),
    ...(deletions.some(({ byAdministrator }) => byAdministrator) ? [FILES.administrator] : []),
  ];
  return {
    title: "Check that nothing is left in the way",
    text: `The check fails while one of the objects is there and cannot be read; what follows would wait for ever.\n\n${code(`sh ${FILES.checkDeleted} ${files.join(" ")}`)}`,
  };
}

function access({ access: { files }, input }: RepairPlan): Step | undefined {
  if (files.length === 0) return undefined;
  return {
    title: `Give ${markdownText(subjectText(input.subject))} the rights for exactly these deletions`,
    text: `Whoever applies a role has to hold its verbs, or the verb \`escalate\`.\n\n${code(...files.map(({ path }) => applyLine(path)))}`,
  };
}

/** Seen on a running kube-apiserver 1.36.0 that was started with unreadable secrets and configmaps. */
const NOT_READY =
  "A server lists secrets, configmaps, namespaces and others for itself. One that is started while such a LIST fails answers requests, and stays at `informer-sync failed` in `/readyz` until about a minute after the last deletion: load balancers and the Service `kubernetes` leave it out, and whatever waits for it before the next server is restarted waits as well. Such a server counts as set up here; name it with `--server` for the next steps.";
const FROM_OUTSIDE = `Where no server is ready, the Job's pod reaches none through the Service \`kubernetes\`. Then run \`sh ${FILES.script} ${FILES.requests}\` beside a server, with a kubeconfig that names this server and a token of the same account (\`kubectl create token\`).`;

function deletionStep({ deletions, requests, input, armed, digest }: RepairPlan): Step | undefined {
  const own = deletions.filter(({ byAdministrator }) => !byAdministrator);
  if (own.length === 0) return undefined;
  const files = requests.map(({ path }) => path);
  const jobs = files.filter((path) => path.startsWith("44_") || path.startsWith("45_"));
  const dry = supportsDryRun(input.judge.target)
    ? "The script tries every deletion with dryRun first, and stops when one is refused."
    : "The release refuses dryRun together with this option, so the first request counts.";
  const names = jobs
    .filter((path) => path.startsWith("45_"))
    .map((path) => `job/${ROLE_NAME}${/-[0-9]+(?=\.yaml$)/.exec(path)?.[0] ?? ""}`);
  const namespace = input.subject.kind === "ServiceAccount" ? input.subject.namespace : "";
  const wait = ["kubectl", "wait", "--for=condition=complete", "--timeout=30m", "-n", namespace, ...names];
  const compileAgain = `compile the plan again with \`--confirm ${digest}\`${input.image === undefined ? ` and \`--job-image IMAGE\` in place of ${IMAGE_PLACEHOLDER}` : ""}`;
  const apply =
    jobs.length === 0
      ? [`As ${markdownText(subjectText(input.subject))}:\n\n${code(`sh ${FILES.script} ${FILES.requests}`)}`]
      : armed
        ? [
            `The Job is armed: applying it sends the deletions.\n\n${code(...jobs.map(applyLine), commandLine(wait))}`,
          ]
        : [
            `The Job is suspended: look at the list, then ${compileAgain}. Only then it runs when it is applied, and nothing below this step can be done before.`,
          ];
  return {
    title: "Delete",
    text: [
      `Check each object once more: the table at the end has its revision. The server deletes only what it cannot read, and answers ${isSince(input.judge.target, NEWER_SINCE) ? "409 for an object that can be read and 404 for one that is gone" : "422 for an object that can be read or is gone"}. ${dry} kubectl has no flag for this; the requests are sent with \`kubectl delete --raw\`.`,
      "Clients that watch such a resource get an ERROR event and list it anew.",
      ...(jobs.length === 0 ? [] : [FROM_OUTSIDE]),
      ...apply,
    ].join("\n\n"),
  };
}

function administrator({ deletions, input }: RepairPlan): Step | undefined {
  const list = deletions.filter(({ byAdministrator }) => byAdministrator);
  if (list.length === 0) return undefined;
  const namespaces = [...new Set(list.map(({ candidate }) => markdownText(candidate.namespace ?? "")))].join(
    ", ",
  );
  const holders = new Set(
    unsafeGrants(input.survey)
      .filter(({ bindingNamespace, resources }) => bindingNamespace === undefined && resources.includes("*"))
      .flatMap(({ subjects }) => subjects.map(({ kind, name }) => markdownText(`${kind} ${name}`))),
  );
  const who =
    holders.size === 0
      ? "No such subject is in the copy; the group system:masters always may."
      : `In the copy these are: ${[...holders].sort().join(", ")}.`;
  return {
    title: "Delete what is in a namespace that is being deleted",
    text: `Nothing can be created in ${namespaces} any more, so no role for ${counted(list.length, "deletion", "deletions")}. Somebody who holds the verb through \`*\` sends them with an own kubeconfig. ${who}\n\n${code(
      `sh ${FILES.script} ${FILES.administrator}`,
    )}`,
  };
}

function namespaceStep({ input, deletions }: RepairPlan): Step | undefined {
  const { namespace, survey } = input;
  if (namespace === undefined || deletions.length === 0) return undefined;
  const state = survey.cluster.namespaces.get(namespace);
  return state?.terminating === true
    ? {
        title: "Wait until the namespace is gone",
        text: `The namespace controller tries again by itself once every resource can be listed.\n\n${code(commandLine(["kubectl", "wait", "--for=delete", `namespace/${namespace}`, "--timeout=10m"]))}`,
      }
    : {
        title: "Delete the namespace, if that is what you want",
        text: `${codeSpan(commandLine(["kubectl", "delete", "namespace", namespace]))} works again now.`,
      };
}

function migrations({ migrations: { list, blocked, migrator } }: RepairPlan): Step | undefined {
  if (list.length === 0 && blocked.length === 0) return undefined;
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
  ];
  return {
    title: "Rewrite what is stored in an older version or with an older key",
    text: parts.filter((each) => each !== "").join("\n\n"),
  };
}

function storedVersions({ definitions }: RepairPlan): Step | undefined {
  if (definitions.list.length === 0) return undefined;
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
  const pruned = definitions.list.some(({ prunedByServer }) => prunedByServer)
    ? `\n\nServers from 1.36 on prune status.storedVersions themselves, also when the migration failed. Only a new copy shows what is stored: \`slipway etcd inventory\` before a version is removed.`
    : "";
  return {
    title: "Bring status.storedVersions in line",
    text: `After the migrations have succeeded:\n\n${code(...lines)}${pruned}`,
  };
}

function removal({ removal: objects }: RepairPlan): Step | undefined {
  if (objects.length === 0) return undefined;
  return {
    title: "Take the rights away again",
    text: `From \`90_remove-access.yaml\`:\n\n${code(
      ...objects.map(({ kind, name, namespace }) =>
        commandLine([
          "kubectl",
          "delete",
          "--ignore-not-found",
          kind.toLowerCase(),
          name,
          ...(namespace === undefined ? [] : ["-n", namespace]),
        ]),
      ),
    )}`,
  };
}

const check = ({ input: { judge, readFlags } }: RepairPlan): Step => {
  const again = ["--snapshot", "after-repair.db", "--release", releaseName(judge.target), ...readFlags];
  return {
    title: "Take a new copy and look again",
    text: `${code("etcdctl snapshot save after-repair.db", commandLine(["slipway", "etcd", "audit", ...again]))}\n\nExit code 0 says that everything reads.`,
  };
};

function leftAlone({ input }: RepairPlan): string {
  const { leftAlone: list } = input.candidates;
  if (list.length === 0) return "";
  const rows = list.slice(0, SHOWN).map(({ key, reason }) => [codeSpan(key), markdownText(reason)]);
  const more = list.length > SHOWN ? `\n\n… and ${list.length - SHOWN} more in \`plan.json\`.` : "";
  return `## Unreadable and not in this plan\n\n${markdownTable(["key", "why"], rows)}${more}\n`;
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
      ? `\n\n… and ${deletions.length - SHOWN} more in \`plan.json\`, with the re-check and the watch event of each.`
      : "";
  return `## The deletions one by one\n\n${markdownTable(["key", "revision", "error", "warning"], rows)}${more}\n`;
}
