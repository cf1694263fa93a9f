/**
 * From manifests to what the ignition phase goes on from: the state as it was wrapped and the files of manifests/ and
 * openshift/ that the control plane selects (docs/reference/ignition-configs.md §7, §8a S2;
 * docs/reference/source-designs.md §1.3). Pure.
 */

import { diagnostic, isError, type Problem, type Report } from "../core/diagnostics.js";
import { byCodeUnit, equalBytes } from "../core/files.js";
import { equalJson, isObject, type JsonObject } from "../core/json.js";
import { problem, warning } from "../core/problem.js";
import { INSTALL_CONFIG_KEY, STATE_KEY } from "../crd/openshift-control-plane.js";
import { identityKey } from "../kubernetes/identity.js";
import {
  annotationsOf,
  IGNITION_LABEL,
  INCLUDE_ANNOTATION,
  labelsOf,
  MANIFEST_FOLDER_LABEL,
  MANIFEST_PATH_ANNOTATION,
} from "../kubernetes/labels.js";
import { objectFindings } from "../kubernetes/object-rules.js";
import { secretData } from "../kubernetes/secrets.js";
import { matchesSelector } from "../kubernetes/selectors.js";
import {
  type Choice,
  type ControlPlane,
  chooseControlPlane,
  namespaceOf,
  REFERENCE_FIELD,
  SELECTOR_FIELD,
} from "./control-plane.js";
import { at, placeOf, readSources, type SourceObject, type SourceText } from "./documents.js";
import { unwrapSecret } from "./unwrap.js";

/** A file as it was wrapped, and where. */
export interface WrappedFile {
  readonly path: string;
  readonly data: Uint8Array;
  readonly source: SourceObject;
  readonly field: string;
}

export interface ReconstructionPlan {
  readonly controlPlane: ControlPlane;
  /** The Secret with the state. */
  readonly installState: SourceObject;
  readonly state: Uint8Array | undefined;
  readonly installConfig: Uint8Array | undefined;
  /** The selected files by path; undefined where nothing is selected, so that the default manifests count. */
  readonly files: readonly WrappedFile[] | undefined;
}

const notReconstructed = (source: SourceObject): Problem =>
  at(
    source,
    problem(
      "REC002",
      "NotSupported",
      "kind",
      `${source.identity.name} is a cluster that assisted-service installs; it has no wrapped state or manifests to reconstruct`,
      "compile from its install-config; your own manifests are in the ConfigMaps listed in spec.config.manifestsConfigMapRefs",
    ),
  );

/** Undefined when an error was reported. */
export function planReconstruction(
  texts: readonly SourceText[],
  choice: Choice,
  report: Report,
): ReconstructionPlan | undefined {
  let failed = false;
  const watch: Report = (problem) => {
    failed ||= isError(diagnostic(problem));
    report(problem);
  };
  const { controlPlanes, assisted, secrets } = readSources(texts, watch);
  const [other] = assisted;
  if (controlPlanes.length === 0 && other !== undefined) return void watch(notReconstructed(other));
  const controlPlane = chooseControlPlane(withoutCopies(controlPlanes, choice, watch), choice, watch);
  if (controlPlane === undefined) return undefined;
  const own = withoutCopies(
    secrets.filter((each) => namespaceOf(each, choice) === controlPlane.namespace),
    choice,
    watch,
  );
  const broken = new Set<SourceObject>();
  for (const each of own)
    for (const finding of apiFindings(each.object)) {
      broken.add(each);
      watch(at(each, finding));
    }
  const installState = own.find(({ identity }) => identity.name === controlPlane.installState);
  if (installState === undefined) watch(noInstallState(controlPlane, secrets, choice));
  const files = selectFiles(controlPlane, own, broken, watch);
  reportStrangers(controlPlane, secrets, choice, watch);
  if (installState === undefined) return undefined;
  const data = secretData(installState.object);
  const [state, installConfig] = [data.get(STATE_KEY), data.get(INSTALL_CONFIG_KEY)];
  if (state === undefined && installConfig === undefined)
    watch(
      at(
        installState,
        problem(
          "REC006",
          "Required",
          "data",
          "the Secret contains neither a state nor an install-config",
          `add the key ${STATE_KEY} or ${INSTALL_CONFIG_KEY}`,
        ),
      ),
    );
  return failed ? undefined : { controlPlane, installState, state, installConfig, files };
}

/** One of each object: a file and a dump of the same thing are one, but two that differ are refused. */
function withoutCopies(sources: readonly SourceObject[], choice: Choice, report: Report): SourceObject[] {
  const seen = new Map<string, SourceObject>();
  for (const each of sources) {
    const key = identityKey({ ...each.identity, namespace: namespaceOf(each, choice) });
    const first = seen.get(key);
    if (first === undefined) seen.set(key, each);
    else if (!equalContent(first.object, each.object))
      report(
        at(
          each,
          problem(
            "REC013",
            "Duplicate",
            "metadata.name",
            `${each.identity.kind} ${each.identity.name} is also in ${placeOf(first)} with different content`,
            "omit the one that is out of date from --from",
          ),
        ),
      );
  }
  return [...seen.values()];
}

/** What the reconstruction depends on; a dump has more members than the file that it was made from. */
function equalContent(a: JsonObject, b: JsonObject): boolean {
  const [left, right] = [secretData(a), secretData(b)];
  const marks = (object: JsonObject) => [
    ...[MANIFEST_PATH_ANNOTATION, INCLUDE_ANNOTATION].map((key) => annotationsOf(object).get(key)),
    ...[...labelsOf(object)].map((pair) => pair.join("=")).sort(),
  ];
  const [leftMarks, rightMarks] = [marks(a), marks(b)];
  return (
    equalJson(a["spec"], b["spec"]) &&
    leftMarks.length === rightMarks.length &&
    leftMarks.every((each, i) => each === rightMarks[i]) &&
    left.size === right.size &&
    [...left].every(([key, value]) => {
      const other = right.get(key);
      return other !== undefined && equalBytes(value, other);
    })
  );
}

/** The rules of the API server, but for keys that are paths: the source design's own form. */
function apiFindings(secret: JsonObject): ReturnType<typeof objectFindings> {
  const legal = (member: "data" | "stringData"): JsonObject => {
    const given = secret[member];
    if (!isObject(given)) return given === undefined ? {} : { [member]: given };
    const pairs = Object.entries(given).map(([key, value]) => [key.replaceAll("/", "_"), value]);
    return { [member]: Object.fromEntries(pairs) };
  };
  return objectFindings({ ...secret, ...legal("data"), ...legal("stringData") });
}

function noInstallState(
  { source, namespace, installState }: ControlPlane,
  secrets: readonly SourceObject[],
  choice: Choice,
): Problem {
  const elsewhere = secrets.find(({ identity }) => identity.name === installState);
  const where = elsewhere === undefined ? "" : namespaceOf(elsewhere, choice);
  return at(
    source,
    problem(
      "REC005",
      "NotFound",
      REFERENCE_FIELD,
      `install-state Secret ${JSON.stringify(installState)} not found${namespace === "" ? "" : ` in namespace ${namespace}`}`,
      elsewhere === undefined
        ? "set --from to every folder with manifests of the cluster; with --secrets separate, the Secret is in infrastructure-manifests-secrets/"
        : where === ""
          ? `set --namespace; the Secret in ${placeOf(elsewhere)} has no namespace`
          : `check the namespace; ${placeOf(elsewhere)} contains one in namespace ${where}`,
    ),
  );
}

/** The files of the selected Secrets, by path. */
function selectFiles(
  { source, selector, installState }: ControlPlane,
  secrets: readonly SourceObject[],
  broken: ReadonlySet<SourceObject>,
  report: Report,
): readonly WrappedFile[] | undefined {
  if (selector === undefined) {
    const marked = secrets.filter(({ object }) => labelsOf(object).has(IGNITION_LABEL));
    if (marked.length > 0)
      report(
        at(
          source,
          warning(
            problem(
              "REC008",
              "NotFound",
              "spec",
              `the default manifests are used because manifestsSelector is not set; ${marked.length} Secrets that contain manifests are ignored`,
              `select them by ${IGNITION_LABEL} if they should be used`,
            ),
          ),
        ),
      );
    return undefined;
  }
  const selected = secrets.filter(
    ({ identity, object }) => identity.name !== installState && matchesSelector(selector, labelsOf(object)),
  );
  const files: WrappedFile[] = [];
  for (const each of selected) {
    const unwrapped = unwrapSecret(each.object);
    for (const fault of unwrapped.faults) report(at(each, fault));
    files.push(...unwrapped.files.map((file) => ({ ...file, source: each })));
    if (unwrapped.files.length + unwrapped.faults.length === 0 && !broken.has(each))
      report(
        at(
          each,
          warning(
            problem(
              "REC015",
              "Invalid",
              "metadata.name",
              `Secret ${each.identity.name} is selected but contains no manifest; it is ignored`,
              `select by labels that only manifest Secrets have (${placeOf(source)})`,
            ),
          ),
        ),
      );
  }
  if (selected.length === 0)
    report(
      at(
        source,
        problem(
          "REC008",
          "NotFound",
          SELECTOR_FIELD,
          "the selector matches none of the Secrets",
          "add the folder with the manifest Secrets to --from, or remove the selector to use the default manifests",
        ),
      ),
    );
  refuseDoubles(files, report);
  return files.sort((a, b) => byCodeUnit(a.path, b.path));
}

/** No path twice, and no base name in both folders: the bootstrap node has one folder for both. */
export function refuseDoubles(files: readonly WrappedFile[], report: Report): void {
  const paths = new Map<string, WrappedFile>();
  const names = new Map<string, WrappedFile>();
  for (const file of files) {
    const name = file.path.slice(file.path.indexOf("/") + 1);
    const [same, shadow] = [paths.get(file.path), names.get(name)];
    if (same !== undefined)
      report(
        at(
          file.source,
          problem(
            "REC011",
            "Duplicate",
            file.field,
            `${JSON.stringify(file.path)} is already provided by ${placeOf(same.source)}`,
            "remove one of the two Secrets, or the labels by which it is selected",
          ),
        ),
      );
    else if (shadow !== undefined)
      report(
        at(
          file.source,
          problem(
            "REC012",
            "Duplicate",
            file.field,
            `${JSON.stringify(file.path)} and ${JSON.stringify(shadow.path)} (${placeOf(shadow.source)}) would be the same file on the bootstrap node`,
            "rename one of the two; the one in openshift/ would replace the other",
          ),
        ),
      );
    paths.set(file.path, file);
    names.set(name, file);
  }
}

/** Secrets that would be selected if they were in the control plane's namespace, and name none. */
function reportStrangers(
  { source, namespace, selector }: ControlPlane,
  secrets: readonly SourceObject[],
  choice: Choice,
  report: Report,
): void {
  if (selector === undefined || namespace === "") return;
  for (const each of secrets)
    if (
      namespaceOf(each, choice) === "" &&
      selector.requirements.length > 0 &&
      matchesSelector(selector, labelsOf(each.object)) &&
      labelsOf(each.object).has(MANIFEST_FOLDER_LABEL)
    )
      report(
        at(
          each,
          warning(
            problem(
              "REC016",
              "Required",
              "metadata",
              `the Secret has no namespace, but the control plane (${placeOf(source)}) is in namespace ${namespace}`,
              `set metadata.namespace, or use --namespace ${namespace}`,
            ),
          ),
        ),
      );
}
