/**
 * What runs in a cluster: our own ComponentInventory, or a dump of Nodes, Leases, LeaseCandidates and control-plane
 * Pods as kubectl writes it.
 */

import type { Problem, Report } from "../../core/diagnostics.js";
import { invalid, problem, problemList, warning } from "../../core/problem.js";
import { refusalIn } from "../../kubernetes/refusal.js";
import { meansNothing } from "../../kubernetes/releases.js";
import { child, readYaml, type YamlNode } from "../../text/yaml-read.js";
import type { FlagText } from "../flags.js";
import { canEmulate, type InventoryEntry, skewComponent } from "../skew.js";
import { kubernetesVersionMeant, type Minor, minorOf, parseVersion, type Version } from "../version.js";
import { processOf } from "./container.js";
import { objectsIn, ownFields, ownKind } from "./document.js";
import { type Fields, placeIn, type Source } from "./fields.js";
import {
  componentOfMetrics,
  type ReportedVersions,
  versionsInAnswer,
  versionsInMetrics,
} from "./version-info.js";

/** Reads every document of the text; objects that say nothing about versions are passed over. */
export function readInventory(text: string, file: string, report: Report): InventoryEntry[] {
  const running = versionsInMetrics(text, file);
  if (running.length > 0) {
    const component = componentOfMetrics(text);
    return running.map((each) => entryOf(component, each));
  }
  const { documents, problems } = readYaml(text, file);
  for (const problem of problems) report(problem);
  const source: Source = { file, report, lineOffset: 0 };
  const roots = documents.flatMap(({ root }) => root ?? []);
  if (roots.length === 0 && problems.length === 0)
    report(problem("YAML006", "Required", "", "the document is empty", { file, line: 1, column: 1 }));
  const objects = roots.flatMap(objectsIn);
  const entries = objects.flatMap((root) => {
    const answer = versionsInAnswer(root, placeIn(source, root));
    if (answer !== undefined) return [entryOf("kube-apiserver", answer)];
    return ownKind(root) === "ComponentInventory" ? ownEntries(root, source) : dumpedEntries(root, source);
  });
  const [first = roots[0]] = objects;
  const incomplete = (message: string): Problem =>
    problem("SKEW001", "NotFound", "", message, {
      ...(first === undefined ? { file } : placeIn(source, first)),
      hint: "use a ComponentInventory, or run: kubectl get nodes,leases,leasecandidates -A -o yaml",
    });
  if (problems.length > 0 || roots.length === 0) return entries;
  for (const refusal of [...new Set([...roots, ...objects])].flatMap((root) => refusalIn(root) ?? []))
    problemList(report, "", placeIn(source, refusal.at)).warnings.report(
      "SKEW001",
      "NotFound",
      `part of the dump is missing because the request was denied${refusal.message === "" ? "" : `: ${refusal.message}`}`,
      "repeat the dump with an account that can read all of it",
    );
  if (entries.length === 0) report(incomplete("no component with a version found"));
  else if (isDump(objects) && !objects.some((root) => textAt(root, "kind") === "Node"))
    report(
      warning(
        incomplete(
          "the dump contains no Nodes, so kubelets are not checked; a dump of one namespace never contains them",
        ),
      ),
    );
  if (roots.some((root) => textAt(root, "metadata", "continue") !== ""))
    report(warning(incomplete("a list contains only the first page of the objects")));
  return entries;
}

const entryOf = (
  component: string,
  { binary, emulation, minCompatibility, place }: ReportedVersions,
): InventoryEntry => ({
  component,
  name: "",
  node: "",
  version: binary,
  emulated: emulation,
  minCompatibility,
  place,
});

/** Objects of a cluster, and none that somebody wrote to say what runs in it. */
const isDump = (objects: readonly YamlNode[]): boolean =>
  objects.every((root) => ownKind(root) !== "ComponentInventory" && child(root, "gitVersion") === undefined);

function ownEntries(root: YamlNode, source: Source): InventoryEntry[] {
  const fields = ownFields({ root, source });
  if (fields === undefined) return [];
  if (!fields.has("components")) fields.missing("components", "a list of {component, name, version}");
  const entries = (fields.list("components") ?? []).flatMap((each) => readComponent(each) ?? []);
  fields.done();
  return entries;
}

function readComponent(fields: Fields): InventoryEntry | undefined {
  const component = fields.required("component", "the name of the component, such as kubelet");
  if (!fields.has("version")) fields.missing("version", "the version of its binary");
  const known = component && skewComponent(component.value);
  // What is no component of Kubernetes, such as etcd, has versions of its own.
  const read = (key: string): Version | undefined =>
    known === undefined ? fields.version(key)?.value : kubernetesVersion(fields, key);
  const version = read("version");
  const name = fields.text("name")?.value ?? "";
  const node = fields.text("node")?.value ?? "";
  const emulated = read("emulatedVersion");
  const minimum = read("minCompatibilityVersion");
  fields.done();
  if (component === undefined || version === undefined) return undefined;
  if (known === undefined)
    return void fields
      .at("component")
      .warnings.report("SKEW002", "NotSupported", `no version skew rule for component ${component.value}`);
  for (const [key, given] of [
    ["emulatedVersion", emulated],
    ["minCompatibilityVersion", minimum],
  ] as const)
    if (given !== undefined && !canEmulate(known))
      fields.at(key).report("VER009", "NotSupported", `${known} does not support ${key}`, `remove ${key}`);
  return {
    component: known,
    name,
    node,
    version,
    emulated: emulated && minorOf(emulated),
    minCompatibility: minimum && minorOf(minimum),
    place: fields.place,
  };
}

/** A version in an inventory that somebody wrote: what OpenShift calls its release stands for its Kubernetes. */
function kubernetesVersion(fields: Fields, key: string): Version | undefined {
  const named = fields.version(key)?.value;
  const meant = named && kubernetesVersionMeant(named);
  if (named !== undefined && meant === undefined) fields.at(key).add(meansNothing(minorOf(named)));
  return meant;
}

const at = (node: YamlNode | undefined, ...path: string[]): YamlNode | undefined =>
  path.reduce<YamlNode | undefined>((from, key) => child(from, key), node);

const textAt = (node: YamlNode | undefined, ...path: string[]): string => {
  const found = at(node, ...path);
  return found?.type === "scalar" && found.value !== null ? found.text : "";
};

function dumpedEntries(root: YamlNode, source: Source): InventoryEntry[] {
  switch (textAt(root, "kind")) {
    case "Node":
      return nodeEntries(root, source);
    case "Lease":
    case "LeaseCandidate":
      return leaseEntries(root, source);
    case "Pod":
      return podEntries(root, source);
    default:
      return [];
  }
}

/**
 * Undefined for a version that cannot be read: an error where the field holds a version by its definition, a warning
 * where it only may, as a label, an annotation and the tag of an image.
 */
function versionAt(
  text: string,
  node: YamlNode,
  source: Source,
  severity: "error" | "warning",
): Version | undefined {
  const parsed = parseVersion(text);
  if ("version" in parsed) return parsed.version;
  source.report(invalid("VER001", "", text, parsed.fault, { severity, ...placeIn(source, node) }));
  return undefined;
}

function nodeEntries(root: YamlNode, source: Source): InventoryEntry[] {
  const name = textAt(root, "metadata", "name");
  const nodeInfo = at(root, "status", "nodeInfo");
  if (textAt(nodeInfo, "kubeletVersion") === "")
    problemList(source.report, name, placeIn(source, root)).infos.report(
      "SKEW003",
      "NotFound",
      `node ${name} does not report the version of its kubelet`,
      "wait until the kubelet has registered and reports status.nodeInfo.kubeletVersion",
    );
  return (
    [
      ["kubelet", "kubeletVersion"],
      ["kube-proxy", "kubeProxyVersion"],
    ] as const
  ).flatMap(([component, key]): InventoryEntry[] => {
    const node = at(nodeInfo, key);
    const text = textAt(nodeInfo, key);
    // The field of kube-proxy is deprecated and empty on nodes of today.
    if (node === undefined || text === "") return [];
    const version = versionAt(text, node, source, "error");
    if (version === undefined) return [];
    return [
      {
        component,
        name,
        node: name,
        version,
        emulated: undefined,
        minCompatibility: undefined,
        place: placeIn(source, node),
      },
    ];
  });
}

/** Annotations, labels and members of a spec that carry a version, by the last part of their key. */
const VERSION_KEYS = {
  binary: /^(binary|component|kubernetes)?-?version$/i,
  emulated: /^emulat(ed|ion)-?version$/i,
  minimum: /^min(imum)?-?compatibility-?version$/i,
} as const;

/**
 * LeaseCandidates carry versions in their spec. Leases of today carry none; the design has components write them there,
 * so annotations and labels are looked at too.
 */
function leaseEntries(root: YamlNode, source: Source): InventoryEntry[] {
  const name = textAt(root, "metadata", "name");
  const component = leaseComponent(root, name);
  if (component === undefined) return [];
  const found: Partial<Record<"binary" | "emulated" | "minimum", { version: Version; node: YamlNode }>> = {};
  const typed = textAt(root, "kind") === "LeaseCandidate";
  for (const [holder, severity] of [
    [at(root, "spec"), typed ? "error" : "warning"],
    [at(root, "metadata", "annotations"), "warning"],
    [at(root, "metadata", "labels"), "warning"],
  ] as const)
    for (const { key, value } of holder?.type === "mapping" ? holder.entries : []) {
      const last = key.text.slice(key.text.lastIndexOf("/") + 1);
      for (const what of ["binary", "emulated", "minimum"] as const) {
        if (!VERSION_KEYS[what].test(last) || found[what] !== undefined || value.type !== "scalar") continue;
        if (value.text === "" || value.value === null) continue;
        const version = versionAt(value.text, value, source, severity);
        if (version !== undefined) found[what] = { version, node: value };
      }
    }
  if (found.binary === undefined) {
    problemList(source.report, name, placeIn(source, root)).infos.report(
      "SKEW003",
      "NotFound",
      `lease ${name} of ${component} does not contain a version`,
      UNVERSIONED_HINT,
    );
    return [];
  }
  const minor = (each: { version: Version } | undefined): Minor | undefined => each && minorOf(each.version);
  return [
    {
      component,
      name,
      node: "",
      version: found.binary.version,
      emulated: minor(found.emulated),
      minCompatibility: minor(found.minimum),
      place: placeIn(source, found.binary.node),
    },
  ];
}

function leaseComponent(root: YamlNode, name: string): string | undefined {
  const labels = at(root, "metadata", "labels");
  const identity = textAt(labels, "apiserver.kubernetes.io/identity");
  const candidates = [
    textAt(root, "spec", "leaseName"),
    identity,
    textAt(labels, "component"),
    textAt(labels, "app.kubernetes.io/component"),
    name,
    /^(kube-)?apiserver-/.test(name) ? "kube-apiserver" : "",
  ];
  return candidates.map(skewComponent).find((each) => each !== undefined);
}

const UNVERSIONED_HINT = "add the LeaseCandidates, or list the component in a ComponentInventory";

/** Owners of a control plane that runs in this cluster for another one, as hosted ones do. */
const HOSTING = new Set(["ReplicaSet", "StatefulSet"]);

/** Static pods of the control plane: the image's tag is the version, the flags say what is emulated. */
function podEntries(root: YamlNode, source: Source): InventoryEntry[] {
  const containers = at(root, "spec", "containers");
  if (containers?.type !== "sequence") return [];
  const pod = textAt(root, "metadata", "name");
  const node = textAt(root, "spec", "nodeName");
  const owners = at(root, "metadata", "ownerReferences");
  const hosted =
    owners?.type === "sequence" && owners.items.some((owner) => HOSTING.has(textAt(owner, "kind")));
  return containers.items.flatMap((container): InventoryEntry[] => {
    const name = textAt(container, "name");
    const component = skewComponent(name);
    // Other software has containers of the short names, such as controller-manager.
    if (component === undefined || component !== name) return [];
    const unknown = (message: string): InventoryEntry[] => {
      problemList(source.report, pod, placeIn(source, container)).infos.report(
        "SKEW003",
        "NotFound",
        message,
        UNVERSIONED_HINT,
      );
      return [];
    };
    if (hosted && canEmulate(component))
      return unknown(`pod ${pod} is ignored: it may be the ${component} of a hosted cluster`);
    const image = at(container, "image");
    const tag = /^[^@]*:(v[0-9][^:@/]*)(?:@|$)/.exec(image?.type === "scalar" ? image.text : "")?.[1];
    if (image === undefined || tag === undefined)
      return unknown(`the image of pod ${pod} does not contain the version of ${component}`);
    const version = versionAt(tag, image, source, "warning");
    if (version === undefined) return [];
    const { flags } = processOf(container, source);
    return [
      {
        component,
        name: pod,
        node,
        version,
        emulated: minorGiven(flags, "--emulated-version"),
        minCompatibility: minorGiven(flags, "--min-compatibility-version"),
        place: placeIn(source, image),
      },
    ];
  });
}

function minorGiven(flags: readonly FlagText[], name: string): Minor | undefined {
  const items = flags.filter(({ flag }) => flag === name).flatMap(({ text }) => text.split(","));
  const kube = items
    .map((item) => (item.startsWith("kube=") ? item.slice(5) : item))
    .find((item) => !item.includes("="));
  const parsed = kube === undefined ? undefined : parseVersion(kube);
  return parsed !== undefined && "version" in parsed ? minorOf(parsed.version) : undefined;
}
