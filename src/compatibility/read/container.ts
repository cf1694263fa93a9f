/** What a container runs, from its words: which component, and with which flags. */
import { child, type YamlNode } from "../../text/yaml-read.js";
import type { FlagText } from "../flags.js";
import { skewComponent } from "../skew.js";
import { placeIn, type Source } from "./fields.js";

export const COMPONENT_FLAGS = ["feature-gates", "emulated-version", "min-compatibility-version"] as const;
export type ComponentFlag = (typeof COMPONENT_FLAGS)[number];

const SHELLS = /^(ba|da|k|z|a)?sh$/;

export interface Process {
  /** Empty when the container does not say it. */
  readonly component: string;
  /** True when a shell runs a script: what that hands to a component is not read. */
  readonly shell: boolean;
  readonly flags: readonly FlagText[];
}

export function processOf(container: YamlNode, source: Source): Process {
  const words = ["command", "args"].flatMap((key) => itemsOf(child(container, key)));
  const programs = words.map((word) => {
    const text = textOf(word);
    return text.startsWith("-") ? "" : (text.split("/").at(-1) ?? "");
  });
  const [program = ""] = programs;
  // A component may be started by another program, such as go-runner, or by the entry point of its image.
  const component = [program, ...programs, textOf(child(container, "name"))].find(
    (name) => skewComponent(name) === name,
  );
  return {
    component: component ?? program,
    shell: component === undefined || component !== program ? SHELLS.test(program) : false,
    flags: words.flatMap((word, i) => flagOf(word, words[i + 1], source)),
  };
}

/** `--flag=value`, or the value as the next word. Kubernetes takes `_` for `-` in the name of a flag. */
function flagOf(word: YamlNode, next: YamlNode | undefined, source: Source): FlagText[] {
  const [, name = "", value] = /^--?([a-z_-]+)(?:=(.*))?$/s.exec(textOf(word)) ?? [];
  const flag = COMPONENT_FLAGS.find((each) => each === name.replaceAll("_", "-"));
  const at = value === undefined ? next : word;
  return flag === undefined || at === undefined ? [] : [flagText(flag, value ?? textOf(at), at, source)];
}

export const flagText = (flag: ComponentFlag, text: string, node: YamlNode, source: Source): FlagText => ({
  flag: `--${flag}`,
  text,
  place: placeIn(source, node),
  exact: false,
});

export const textOf = (node: YamlNode | undefined): string => (node?.type === "scalar" ? node.text : "");
export const itemsOf = (node: YamlNode | undefined): readonly YamlNode[] =>
  node?.type === "sequence" ? node.items : [];
