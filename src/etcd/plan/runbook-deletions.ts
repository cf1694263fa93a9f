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
import { LIST_FILE, SAVED, SCRIPT_FILE } from "./removal-script.js";
import { FILES, IMAGE_PLACEHOLDER, supportsDryRun } from "./requests.js";
import { code, compileLine, SHOWN, type Step } from "./runbook-step.js";
import { subjectText } from "./subject.js";

const RECOVERED = "recovered";

/** Objects whose content the copy has, although the release cannot decode them or their key is another one's. */
const recoverable = ({ deletions, input }: RepairPlan): number =>
  deletions.filter(({ candidate }) => candidate.recoverable).length +
  input.candidates.fatal.filter((each) => each.recoverable).length +
  input.candidates.misplaced.length;

export function recover(plan: RepairPlan): Step | undefined {
  const count = recoverable(plan);
  if (count === 0) return undefined;
  const { copyFlags, readFlags, judge } = plan.input;
  const words = [
    ...["slipway", "etcd", "extract", "--plan", "plan.json", "--as", "yaml", "--out", RECOVERED],
    ...["--release", releaseName(judge.target), ...copyFlags, ...readFlags],
  ];
  return {
    title: "Save the readable content from the copy",
    text: `This writes ${counted(count, "object", "objects")} from the copy as files to the folder \`${RECOVERED}\`, without the fields that the API server fills in. It prints a warning for each object that you must review.\n\n${code(commandLine(words))}`,
  };
}

export function createAgain(plan: RepairPlan): Step | undefined {
  if (recoverable(plan) === 0) return undefined;
  return {
    title: "Re-create the objects",
    text: `First correct the objects that the extraction warned about. Objects that have been created again in the meantime are not changed.\n\n${code(
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
    title: "Check that the objects have not been written since",
    text: `If another API server encrypts with a key that this one does not have, an object can be newer than the copy and still be unreadable. The check fails if a revision in etcd differs from the copy.\n\n${code(`sh ${FILES.checkRevisions} ${FILES.revisions}`)}`,
  };
}

export function misplaced({ input }: RepairPlan): Step | undefined {
  const { misplaced: list } = input.candidates;
  if (list.length === 0) return undefined;
  const rows = list.slice(0, SHOWN).map(({ key, reason }) => [codeSpan(key), markdownText(reason)]);
  const more = list.length > SHOWN ? `\n\n… and ${list.length - SHOWN} more in \`plan.json\`.` : "";
  return {
    title: "Delete the objects that do not match their keys",
    text: `API servers can read these objects, so an ordinary DELETE removes them unless they have been written since. A later step creates them again under the names of their keys.\n\n${markdownTable(["key", "why"], rows)}${more}\n\n${code(
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
    title: "Check that the unreadable objects are gone",
    text: `The check fails while one of the objects exists and cannot be read. The following steps would then wait forever.\n\n${code(`sh ${FILES.checkDeleted} ${files.join(" ")}`)}`,
  };
}

const applyLine = (path: string): string => `kubectl apply -f ${pathWord(path)}`;

export function access({ access: { files }, input }: RepairPlan): Step | undefined {
  if (files.length === 0) return undefined;
  return {
    title: `Grant ${markdownText(subjectText(input.subject))} the permissions for exactly these deletions`,
    text: `To apply a role, you need the permissions that it grants, or the verb \`escalate\`.\n\n${code(...files.map(({ path }) => applyLine(path)))}`,
  };
}

const FROM_OUTSIDE = `If no API server is ready, the Job's pod cannot reach one through the Service \`kubernetes\`. In this case, run \`sh ${FILES.script} ${FILES.requests}\` on the host of an API server, with a kubeconfig for this server and a token of the same account (\`kubectl create token\`).`;

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
    ? "The script first sends every deletion with dryRun and stops if one is rejected."
    : "This release rejects dryRun together with this option, so there is no dry run.";
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
            `The Job is armed: applying it sends the deletions. Its log, which is printed when it ends, contains the result of each deletion. The Job fails if a line starts with REFUSED or FAILED, and it does not retry: correct the reported problem, delete the Job, and repeat this step.\n\n${code(...jobs.map(applyLine), ...waitLines(namespace, names))}`,
          ]
        : [
            `The Job is suspended. Review the list, then compile the plan again with its digest${input.image === undefined ? `, and with an image instead of ${IMAGE_PLACEHOLDER}` : ""}. Apply the Job afterwards; the following steps require its deletions.\n\n${code(`${again} ${input.image === undefined ? "IMAGE" : shellWord(input.image)}`)}`,
          ];
  return {
    title: "Delete",
    text: [
      `Check each object again; the table at the end contains its revision. The API server deletes only objects that it cannot read, and returns ${isSince(input.judge.target, NEWER_SINCE) ? "409 for an object that it can read and 404 for one that does not exist" : "422 for an object that it can read or that does not exist"}. ${dry} kubectl has no flag for this option; the requests are sent with \`kubectl delete --raw\`.`,
      "Clients that watch such a resource receive an ERROR event and list it again.",
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
      ? "The copy contains no such subject; the group system:masters always has the permission."
      : `In the copy, these subjects have it: ${[...holders].sort().join(", ")}.`;
  return {
    title: list.every(({ candidate }) => input.survey.cluster.namespaces.has(candidate.namespace ?? ""))
      ? "Delete the objects in the terminating namespace"
      : "Delete the objects in the namespace that accepts no new objects",
    text: `Nothing can be created in ${namespaces} anymore, so there is no role for ${counted(list.length, "deletion", "deletions")}. A user with the verb \`*\` sends them with their own kubeconfig. ${who}\n\n${code(
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
        title: "Wait until the namespace is deleted",
        text: `The namespace controller retries automatically once every resource can be listed.\n\n${code(commandLine(["kubectl", "wait", "--for=delete", `namespace/${namespace}`, "--timeout=10m"]))}`,
      }
    : {
        title: "Delete the namespace if you want to",
        text: `This command works again, and deletes everything in the namespace: ${codeSpan(commandLine(["kubectl", "delete", "namespace", namespace]))}`,
      };
}

export function removal({ removal: objects }: RepairPlan): Step | undefined {
  if (objects.length === 0) return undefined;
  return {
    title: "Revoke the permissions",
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

/** Objects that end API servers: removed in etcd, each with its value saved, before a server starts or reads them. */
export function removeFromEtcd({ input }: RepairPlan): Step | undefined {
  const { fatal } = input.candidates;
  if (fatal.length === 0) return undefined;
  const rows = fatal.slice(0, SHOWN).map(({ key, reason }) => [codeSpan(key), markdownText(reason)]);
  const more = fatal.length > SHOWN ? `\n\n… and ${fatal.length - SHOWN} more in \`plan.json\`.` : "";
  const atStart = fatal.some(({ exits }) => exits === "start")
    ? "Do not start or restart an API server before this step: it would exit after about a minute. "
    : "";
  const atRead = fatal.some(({ exits }) => exits === "read")
    ? "Send no request for these custom resources before this step, not even a DELETE: the API server would exit. "
    : "";
  return {
    title: "Remove the objects from etcd that make API servers exit",
    text: `${atStart}${atRead}The API cannot delete ${fatal.length === 1 ? "this object" : "these objects"}. The script saves ${counted(fatal.length, "value", "values")} in \`${SAVED}\` and removes the keys from etcd. It does not touch values that were written since the copy. API servers create their own roles and priority classes again when they start; create all other objects again at the end.\n\n${markdownTable(["key", "why"], rows)}${more}\n\n${code(`sh ${SCRIPT_FILE} ${LIST_FILE}`)}`,
  };
}
