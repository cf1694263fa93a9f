/**
 * Flags that components are started with, from the files that say so: static pods, kubeadm's configuration, that of k3s and
 * rke2, and OpenShift's configuration of a server or its operator's overrides.
 */
import type { Position, Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import { child, entryOf, readYaml, type YamlNode } from "../../text/yaml-read.js";
import { itemsOf, processOf, textOf } from "./container.js";
import { objectsIn } from "./document.js";
import { placeIn, type Source } from "./fields.js";

export interface FlagInUse {
  readonly component: string;
  /** Without dashes in front. */
  readonly flag: string;
  readonly value: string;
  readonly place: Position;
}

/** Everything that a file says about flags; one that says nothing is reported. */
export function readFlagsInUse(text: string, file: string, report: Report): FlagInUse[] {
  const { documents, problems } = readYaml(text, file);
  for (const problem of problems) report(problem);
  const source: Source = { file, report, lineOffset: 0 };
  const objects = documents.flatMap(({ root }) => (root === undefined ? [] : objectsIn(root)));
  const found = objects.map((root) => ofObject(root, source));
  if (found.every((each) => each === undefined) && problems.length === 0)
    problemList(report, "", { file, line: 1, column: 1 }).report(
      "TAB005",
      "Invalid",
      "no component flags found",
      "use a static pod, a kubeadm ClusterConfiguration, a configuration of k3s or rke2, or an OpenShift KubeAPIServer",
    );
  return found.flatMap((each) => each ?? []);
}

const KUBEADM = {
  apiServer: "kube-apiserver",
  controllerManager: "kube-controller-manager",
  scheduler: "kube-scheduler",
};

/** Kinds with a map flag → values, or what their operators add to it. */
const OF_OPENSHIFT: ReadonlyMap<string, readonly [component: string, member: string]> = new Map([
  ["KubeAPIServer", ["kube-apiserver", "apiServerArguments"]],
  ["KubeAPIServerConfig", ["kube-apiserver", "apiServerArguments"]],
  ["KubeControllerManager", ["kube-controller-manager", "extendedArguments"]],
  ["KubeControllerManagerConfig", ["kube-controller-manager", "extendedArguments"]],
]);

/** Undefined for what says nothing about flags. */
function ofObject(root: YamlNode, source: Source): FlagInUse[] | undefined {
  const kind = textOf(child(root, "kind"));
  const [component, member] = OF_OPENSHIFT.get(kind) ?? [];
  if (component !== undefined && member !== undefined) {
    const overrides = child(child(root, "spec"), "unsupportedConfigOverrides");
    return [child(root, member), child(overrides, member)].flatMap((each) =>
      argumentsIn(component, each, source),
    );
  }
  switch (kind) {
    case "Pod":
      return itemsOf(child(child(root, "spec"), "containers")).flatMap((each) => ofContainer(each, source));
    case "ClusterConfiguration":
      return Object.entries(KUBEADM).flatMap(([key, name]) =>
        argumentsIn(name, child(child(root, key), "extraArgs"), source),
      );
    case "InitConfiguration":
    case "JoinConfiguration":
      return argumentsIn("kubelet", child(child(root, "nodeRegistration"), "kubeletExtraArgs"), source);
    case "":
      return ofDistribution(root, source);
    default:
      return undefined;
  }
}

/** `--flag` or `--flag=value`; letters after one dash, such as -v, are known to every component. */
const FLAG = /^--([A-Za-z][A-Za-z0-9_-]*)(?:=(.*))?$/s;

function ofContainer(container: YamlNode, source: Source): FlagInUse[] {
  const { component, shell } = processOf(container, source);
  if (component === "" || shell) return [];
  const words = ["command", "args"].flatMap((key) => itemsOf(child(container, key)));
  return words.flatMap((word, i) => {
    const [, name, value] = FLAG.exec(textOf(word)) ?? [];
    if (name === undefined) return [];
    const next = textOf(words[i + 1]);
    return [
      {
        component,
        flag: plain(name),
        value: value ?? (next.startsWith("-") ? "" : next),
        place: placeIn(source, word),
      },
    ];
  });
}

const plain = (name: string): string => name.replaceAll("_", "-");

/** A map, with a text or a list of values for each flag, or a list of {name, value} (kubeadm's from v1beta4 on). */
function argumentsIn(component: string, node: YamlNode | undefined, source: Source): FlagInUse[] {
  if (node?.type === "mapping")
    return node.entries.map(({ name, key, value }) => ({
      component,
      flag: plain(name),
      value: value.type === "sequence" ? value.items.map(textOf).join(",") : textOf(value),
      place: placeIn(source, key),
    }));
  return itemsOf(node).flatMap((each) => {
    const name = entryOf(each, "name")?.value;
    return name?.type === "scalar"
      ? [
          {
            component,
            flag: plain(name.text),
            value: textOf(child(each, "value")),
            place: placeIn(source, name),
          },
        ]
      : [];
  });
}

/** `kube-apiserver-arg: [flag=value]` of k3s and rke2; a plus at the end adds to another file. */
const ARGUMENTS = /^(kube-apiserver|kube-controller-manager|kube-scheduler|kubelet|kube-proxy)-arg\+?$/;

function ofDistribution(root: YamlNode, source: Source): FlagInUse[] | undefined {
  if (root.type !== "mapping") return undefined;
  const own = root.entries.flatMap(({ name, value }) => {
    const component = ARGUMENTS.exec(name)?.[1];
    return component === undefined
      ? []
      : [{ component, items: value.type === "sequence" ? value.items : [value] }];
  });
  if (own.length === 0) return undefined;
  return own.flatMap(({ component, items }) =>
    items.flatMap((item) => {
      const [, name, value = ""] = /^(?:--)?([A-Za-z][A-Za-z0-9_-]*)(?:=(.*))?$/s.exec(textOf(item)) ?? [];
      return name === undefined
        ? []
        : [{ component, flag: plain(name), value, place: placeIn(source, item) }];
    }),
  );
}
