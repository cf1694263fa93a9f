/** The Secrets that wrap files: what they say of themselves, what they hold, and that they are selected. */
import { byCodeUnit } from "../core/files.js";
import { isObject } from "../core/json.js";
import { type Problem, problem } from "../core/problem.js";
import {
  annotationsOf,
  CLUSTER_NAME_LABEL,
  IGNITION_INCLUDE,
  IGNITION_LABEL,
  INCLUDE_ANNOTATION,
  labelsOf,
  MANIFEST_PATH_ANNOTATION,
} from "../kubernetes/labels.js";
import { parseManifestPath, shortName, unwrapManifest } from "../kubernetes/manifest-secrets.js";
import { matchesSelector, readSelector } from "../kubernetes/selectors.js";
import {
  INFRASTRUCTURE_FOLDER,
  manifestFile,
  SECRETS_FOLDER,
} from "../phases/infrastructure-manifests/layout.js";
import { pathWord } from "../text/shell.js";
import { saysSame } from "../text/yaml-content.js";
import { at, type Check, type Context, compileAgain, dig, isWrap, type Known } from "./context.js";
import { moveProblems } from "./install-state.js";

interface Wrapped {
  readonly known: Known;
  /** Its content is encrypted; labels and annotations are in the open. */
  readonly isSealed?: boolean;
  readonly path: string | undefined;
  readonly data: Uint8Array | undefined;
  readonly problems: readonly Problem[];
}

export const checkWraps: Check = (context) => {
  if (context.assisted !== undefined && context.controlPlane === undefined) return [];
  const wrapped = context.wraps.map((known): Wrapped => {
    const { path, data, faults } = unwrapManifest(known.object);
    return {
      known,
      path: path === undefined ? undefined : `${path.folder}/${path.file}`,
      data,
      problems: faults.map((fault) =>
        at(known, {
          code: "CAPI019",
          kind: "Invalid",
          ...fault,
          hint: "make label, annotation and data key refer to the same path",
        }),
      ),
    };
  });
  const sealed = context.sealed.filter(isWrap).map((known): Wrapped => {
    const path = annotationsOf(known.object).get(MANIFEST_PATH_ANNOTATION);
    const isReadable = path !== undefined && parseManifestPath(path) !== undefined;
    return { known, isSealed: true, path: isReadable ? path : undefined, data: undefined, problems: [] };
  });
  return [
    ...wrapped.flatMap(({ known, problems }) => [
      ...problems,
      ...markProblems(known, context),
      ...moveProblems(known),
    ]),
    ...contentProblems([...wrapped, ...sealed], context),
    ...selectorProblems(context),
  ];
};

function markProblems(known: Known, { cluster }: Context): Problem[] {
  const refuse = (field: string, message: string, hint: string): Problem =>
    at(known, problem("CAPI019", "Invalid", field, message, hint));
  const [labels, annotations] = [labelsOf(known.object), annotationsOf(known.object)];
  const [include, owner] = [annotations.get(INCLUDE_ANNOTATION), labels.get(CLUSTER_NAME_LABEL)];
  const problems: Problem[] = [];
  if (labels.get(IGNITION_LABEL) !== IGNITION_INCLUDE)
    problems.push(
      refuse(
        `metadata.labels[${IGNITION_LABEL}]`,
        "the label does not include the file in the ignition phase",
        `set it to ${IGNITION_INCLUDE}, or remove the Secret`,
      ),
    );
  if (include !== undefined && include !== "true")
    problems.push(
      refuse(
        `metadata.annotations[${INCLUDE_ANNOTATION}]`,
        "the annotation contradicts the label",
        'set it to "true", or remove the Secret',
      ),
    );
  const name = cluster?.identity.name;
  if (name !== undefined && owner !== name)
    problems.push(
      refuse(
        `metadata.labels[${CLUSTER_NAME_LABEL}]`,
        owner === undefined
          ? "the label with the Cluster name is missing"
          : `the label belongs to another Cluster, ${JSON.stringify(owner)}`,
        `set it to ${name}`,
      ),
    );
  return problems;
}

/** Every file is wrapped once, as it is on disk; nothing else is wrapped. */
function contentProblems(wrapped: readonly Wrapped[], context: Context): Problem[] {
  const { directory, history } = context;
  // What they wrap can be read, if nothing else of them.
  const readable = new Set(
    wrapped.flatMap(({ isSealed, path, known }) =>
      isSealed === true && path !== undefined ? [known.file] : [],
    ),
  );
  const unreadable = new Set([...context.unreadable].filter((file) => !readable.has(file)));
  const sources = [...directory.files.values()].filter(({ path }) => parseManifestPath(path) !== undefined);
  const byPath = new Map<string, Wrapped>();
  const problems: Problem[] = [];
  for (const each of wrapped) {
    if (each.path === undefined) continue;
    const first = byPath.get(each.path);
    if (first === undefined) byPath.set(each.path, each);
    else
      problems.push(
        at(
          each.known,
          problem(
            "CAPI018",
            "Duplicate",
            `metadata.annotations[${MANIFEST_PATH_ANNOTATION}]`,
            `${each.path} is already wrapped in ${first.known.file}`,
            "remove one of the two Secrets",
          ),
        ),
      );
  }
  // A clone without the two folders has nothing to compare with.
  if (sources.length === 0) return problems;
  for (const { path, data } of sources) {
    const own = byPath.get(path);
    if (own === undefined) problems.push(...notWrapped(path, history, unreadable));
    else if (
      own.data !== undefined &&
      directory.closed?.has(path) !== true &&
      !saysSame(path, own.data, data)
    )
      problems.push(
        at(
          own.known,
          problem("CAPI018", "Invalid", "data", `the content of the Secret differs from ${path} on disk`, {
            severity: history(own.known.file) === "edited" ? "warning" : "error",
            hint: `make changes in the file, not in the Secret, then wrap it again: ${compileAgain(own.known.file, context)}`,
          }),
        ),
      );
  }
  const known = new Set(sources.map(({ path }) => path));
  for (const [path, { known: secret }] of [...byPath].sort(([a], [b]) => byCodeUnit(a, b)))
    if (!known.has(path))
      problems.push(
        at(
          secret,
          problem(
            "CAPI018",
            "NotFound",
            `metadata.annotations[${MANIFEST_PATH_ANNOTATION}]`,
            `the Secret wraps ${path}, which does not exist on disk`,
            "run slipway create infrastructure-manifests again, or restore the file",
          ),
        ),
      );
  return problems;
}

function notWrapped(path: string, history: Context["history"], unreadable: Context["unreadable"]): Problem[] {
  const parsed = parseManifestPath(path);
  if (parsed === undefined) return [];
  const name = manifestFile(shortName(parsed));
  const files = [INFRASTRUCTURE_FOLDER, SECRETS_FOLDER].map((folder) => `${folder}/${name}`);
  if (files.some((file) => unreadable.has(file))) return [];
  const removed = files.find((file) => history(file) === "removed");
  return [
    problem(
      "CAPI018",
      "NotFound",
      "",
      removed !== undefined
        ? "the Secret that wraps the file was removed, so the file will not be applied to the cluster"
        : "the file is not wrapped, so it will not be applied to the cluster",
      {
        severity: removed === undefined ? "error" : "warning",
        file: path,
        hint:
          removed === undefined
            ? "run slipway create infrastructure-manifests again"
            : `create it again: slipway create infrastructure-manifests --theirs ${pathWord(removed)}`,
      },
    ),
  ];
}

const SELECTOR = ["spec", "manifestsSelector"];

/** The selector picks the wrapped files and nothing else. */
function selectorProblems({ controlPlane, wraps, secrets, sealed, namespace }: Context): Problem[] {
  if (controlPlane === undefined) return [];
  const given = dig(controlPlane.object, SELECTOR);
  const refuse = (kind: Problem["kind"], field: string, message: string, hint: string): Problem =>
    at(controlPlane, problem("CAPI013", kind, [...SELECTOR, field].filter(Boolean).join("."), message, hint));
  if (!isObject(given)) {
    if (wraps.length === 0 || (given !== undefined && given !== null)) return [];
    return [
      refuse(
        "Required",
        "",
        `without a selector, none of the ${wraps.length} wrapped files is applied to the cluster`,
        `select ${IGNITION_LABEL}: ${IGNITION_INCLUDE} and the Cluster name label`,
      ),
    ];
  }
  const selector = readSelector(given);
  if (selector.problems.length > 0)
    return selector.problems.map(({ field, message }) => refuse("Invalid", field, message, ""));
  if (selector.requirements.length === 0)
    return [
      refuse(
        "Invalid",
        "",
        "an empty selector selects every Secret in the namespace",
        "remove it, or select by labels",
      ),
    ];
  const isWrap = new Set(wraps);
  const problems: Problem[] = [];
  for (const secret of secrets) {
    const selected =
      secret.identity.namespace === namespace && matchesSelector(selector, labelsOf(secret.object));
    if (selected && !isWrap.has(secret))
      problems.push(
        refuse(
          "Invalid",
          "",
          `the selector matches the Secret ${secret.identity.name} (${secret.file}), which does not wrap a manifest`,
          "select by labels that only the manifest Secrets have",
        ),
      );
    if (!selected && isWrap.has(secret))
      problems.push(
        at(
          secret,
          problem(
            "CAPI013",
            "Invalid",
            "metadata.labels",
            "the control plane's selector does not match this Secret, so its file will not be applied to the cluster",
            `add the labels that ${controlPlane.file} selects`,
          ),
        ),
      );
  }
  // An encrypted Secret may be the one that it selects.
  if (wraps.length === 0 && sealed.length === 0)
    problems.push({
      ...refuse(
        "NotFound",
        "",
        "the selector matches nothing in the folder",
        "remove it if no file is wrapped",
      ),
      severity: "warning",
    });
  return problems;
}
