/**
 * What is set on components, from their own files: KubeletConfiguration, KubeProxyConfiguration, kubeadm's
 * ClusterConfiguration, manifests of static pods, and dumps of /metrics (kubernetes_feature_enabled).
 */

import type { Report } from "../../core/diagnostics.js";
import { child, readYaml, type YamlNode } from "../../text/yaml-read.js";
import type { FlagText } from "../flags.js";
import { placeIn, type Source } from "./fields.js";

const FLAGS = ["feature-gates", "emulated-version", "min-compatibility-version"] as const;
type FlagName = (typeof FLAGS)[number];

/** The flags of one component; `observed` are gates as a running component shows them, set or not. */
export interface InEffect {
  readonly component: string;
  readonly flags: Readonly<Record<FlagName, readonly FlagText[]>>;
  readonly observed: ReadonlyMap<string, boolean> | undefined;
}

const METRIC = /^kubernetes_feature_enabled\{name="([^"]+)",stage="[^"]*"\} ([01])$/gm;
const KUBEADM = {
  apiServer: "kube-apiserver",
  controllerManager: "kube-controller-manager",
  scheduler: "kube-scheduler",
};

/** Everything that a file says about gates; one that says nothing is reported. */
export function readGatesInEffect(text: string, file: string, report: Report): InEffect[] {
  const observed = new Map([...text.matchAll(METRIC)].map(([, name = "", value]) => [name, value === "1"]));
  if (observed.size > 0) return [{ component: "", flags: inEffect([]), observed }];
  const { documents, problems } = readYaml(text, file);
  for (const problem of problems) report(problem);
  const source: Source = { file, report, lineOffset: 0 };
  const found = documents.flatMap(({ root }) => (root === undefined ? [] : ofDocument(root, source)));
  if (found.length === 0 && problems.length === 0)
    report({
      code: "TAB005",
      kind: "Invalid",
      file,
      line: 1,
      column: 1,
      message: "this says nothing about gates in effect",
      hint: "a KubeletConfiguration, KubeProxyConfiguration, kubeadm ClusterConfiguration, static pod or /metrics dump is needed",
    });
  return found;
}

function ofDocument(root: YamlNode, source: Source): InEffect[] {
  const of = (component: string, flags: FlagText[]): InEffect => ({
    component,
    flags: inEffect(flags),
    observed: undefined,
  });
  switch (textOf(child(root, "kind"))) {
    case "KubeletConfiguration":
      return [of("kubelet", gatesOf(child(root, "featureGates"), source))];
    case "KubeProxyConfiguration":
      return [of("kube-proxy", gatesOf(child(root, "featureGates"), source))];
    case "ClusterConfiguration":
      return Object.entries(KUBEADM).map(([key, component]) =>
        of(component, extraArgs(child(child(root, key), "extraArgs"), source)),
      );
    case "Pod":
      return itemsOf(child(child(root, "spec"), "containers")).flatMap((container) => {
        const words = [...itemsOf(child(container, "command")), ...itemsOf(child(container, "args"))];
        const component = textOf(words[0]).split("/").at(-1) ?? "";
        return component === ""
          ? []
          : [
              of(
                component,
                words.flatMap((word, i) => flagOf(word, words[i + 1], source)),
              ),
            ];
      });
    default:
      return [];
  }
}

const inEffect = (flags: readonly FlagText[]): InEffect["flags"] => {
  const of = (name: FlagName): FlagText[] => flags.filter(({ flag }) => flag === `--${name}`);
  return {
    "feature-gates": of("feature-gates"),
    "emulated-version": of("emulated-version"),
    "min-compatibility-version": of("min-compatibility-version"),
  };
};

const textOf = (node: YamlNode | undefined): string => (node?.type === "scalar" ? node.text : "");
const itemsOf = (node: YamlNode | undefined): readonly YamlNode[] =>
  node?.type === "sequence" ? node.items : [];

/** A map gate → boolean as the flag's text, each with its own place. */
function gatesOf(node: YamlNode | undefined, source: Source): FlagText[] {
  if (node?.type !== "mapping") return [];
  return node.entries.map(({ key, name, value }) =>
    flagText("feature-gates", `${name}=${textOf(value)}`, key, source),
  );
}

/** kubeadm's extraArgs: a map up to v1beta3, a list of {name, value} from v1beta4 on. */
function extraArgs(node: YamlNode | undefined, source: Source): FlagText[] {
  const named = (name: string, value: YamlNode | undefined): FlagText[] => {
    const flag = FLAGS.find((each) => each === name);
    return flag === undefined || value === undefined ? [] : [flagText(flag, textOf(value), value, source)];
  };
  if (node?.type === "mapping") return node.entries.flatMap(({ name, value }) => named(name, value));
  return itemsOf(node).flatMap((each) => named(textOf(child(each, "name")), child(each, "value")));
}

/** `--flag=value`, or the value as the next word. */
function flagOf(word: YamlNode, next: YamlNode | undefined, source: Source): FlagText[] {
  const [, name = "", value] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(textOf(word)) ?? [];
  const flag = FLAGS.find((each) => each === name);
  const at = value === undefined ? next : word;
  return flag === undefined || at === undefined ? [] : [flagText(flag, value ?? textOf(at), at, source)];
}

const flagText = (flag: FlagName, text: string, node: YamlNode, source: Source): FlagText => ({
  flag: `--${flag}`,
  text,
  place: placeIn(source, node),
  exact: false,
});
