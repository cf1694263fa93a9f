/** Steps around deletions: what is kept, who may, what is sent, and what is created again. */
import { isSince } from "../../core/by-release.js";
import { counted } from "../../core/counted.js";
import { codeSpan, markdownTable, markdownText } from "../../text/markdown.js";
import { commandLine, pathWord, shellWord } from "../../text/shell.js";
import { unsafeGrants } from "../inventory.js";
import { releaseName } from "../releases.js";
import { NEWER_SINCE } from "../status.js";
import { ROLE_NAME } from "./access.js";
import type { RepairPlan } from "./compile.js";
import { FILES, IMAGE_PLACEHOLDER, supportsDryRun } from "./requests.js";
import { code, compileLine, SHOWN, type Step } from "./runbook-step.js";
import { subjectText } from "./subject.js";

const RECOVERED = "recovered";

/** Objects whose content the copy has, although the release cannot decode them or their key is another one's. */
const recoverable = ({ deletions, input }: RepairPlan): number =>
  deletions.filter(({ candidate }) => candidate.recoverable).length + input.candidates.misplaced.length;

export function recover(plan: RepairPlan): Step | undefined {
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

export function createAgain(plan: RepairPlan): Step | undefined {
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

export function revisions({ deletions, input }: RepairPlan): Step | undefined {
  if (deletions.length + input.candidates.misplaced.length === 0) return undefined;
  return {
    title: "Check that nobody has written these objects since",
    text: `Where another server writes with a key that this one does not have, an object may be new and still unreadable here. etcd itself knows: the check fails when a revision is not that of the copy.\n\n${code(`sh ${FILES.checkRevisions} ${FILES.revisions}`)}`,
  };
}

export function misplaced({ input }: RepairPlan): Step | undefined {
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

export function gone({ deletions }: RepairPlan): Step | undefined {
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

const applyLine = (path: string): string => `kubectl apply -f ${pathWord(path)}`;

export function access({ access: { files }, input }: RepairPlan): Step | undefined {
  if (files.length === 0) return undefined;
  return {
    title: `Give ${markdownText(subjectText(input.subject))} the rights for exactly these deletions`,
    text: `Whoever applies a role has to hold its verbs, or the verb \`escalate\`.\n\n${code(...files.map(({ path }) => applyLine(path)))}`,
  };
}

const FROM_OUTSIDE = `Where no server is ready, the Job's pod reaches none through the Service \`kubernetes\`. Then run \`sh ${FILES.script} ${FILES.requests}\` beside a server, with a kubeconfig that names this server and a token of the same account (\`kubectl create token\`).`;

/** Until a Job has succeeded or failed, whichever comes first: a wait for its success alone would outlast a failure. */
const waitLines = (namespace: string, names: readonly string[]): string[] => [
  "(",
  `for job in ${names.join(" ")}; do`,
  "  left=360",
  `  until state=$(kubectl get "$job" -n ${shellWord(namespace)} -o jsonpath='{.status.conditions[?(@.type=="Complete")].status}/{.status.conditions[?(@.type=="Failed")].status}') && [ "$state" != / ]; do`,
  '    left=$((left - 1)); [ "$left" -gt 0 ] || break; sleep 5',
  "  done",
  `  kubectl logs -n ${shellWord(namespace)} "$job"`,
  '  [ "$state" = True/ ] || { echo "$job has not succeeded" >&2; exit 1; }',
  "done",
  ")",
];

export function deletionStep({ deletions, requests, input, armed, digest }: RepairPlan): Step | undefined {
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
  const again = compileLine(input, input.copyFlags, ["--out", ".", "--confirm", digest, "--job-image"]);
  const apply =
    jobs.length === 0
      ? [`As ${markdownText(subjectText(input.subject))}:\n\n${code(`sh ${FILES.script} ${FILES.requests}`)}`]
      : armed
        ? [
            `The Job is armed: applying it sends the deletions. Its log, which is printed when it ends, says of each what came of it; where a line begins with REFUSED or FAILED, the Job fails. It does not try again: what the log names is put right, the Job deleted, and this step done once more.\n\n${code(...jobs.map(applyLine), ...waitLines(namespace, names))}`,
          ]
        : [
            `The Job is suspended: look at the list, then compile the plan again with its digest${input.image === undefined ? `, and an image in place of ${IMAGE_PLACEHOLDER}` : ""}. Only then it runs when it is applied, and nothing below this step can be done before.\n\n${code(`${again} ${input.image === undefined ? "IMAGE" : shellWord(input.image)}`)}`,
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

export function administrator({ deletions, input }: RepairPlan): Step | undefined {
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
    title: list.every(({ candidate }) => input.survey.cluster.namespaces.has(candidate.namespace ?? ""))
      ? "Delete what is in a namespace that is being deleted"
      : "Delete what is in a namespace that takes no new objects",
    text: `Nothing can be created in ${namespaces} any more, so no role for ${counted(list.length, "deletion", "deletions")}. Somebody who holds the verb through \`*\` sends them with an own kubeconfig. ${who}\n\n${code(
      `sh ${FILES.script} ${FILES.administrator}`,
    )}`,
  };
}

export function namespaceStep({ input, deletions }: RepairPlan): Step | undefined {
  const { namespace, survey } = input;
  if (namespace === undefined || deletions.length === 0) return undefined;
  const state = survey.cluster.namespaces.get(namespace);
  // Of one that is not there nothing is left to do.
  if (state === undefined && deletions.every(({ byAdministrator }) => byAdministrator)) return undefined;
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

export function removal({ removal: objects }: RepairPlan): Step | undefined {
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
