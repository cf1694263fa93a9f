/** What stands in the output of kubectl in place of objects that it was refused. */
import { child, type YamlNode } from "../text/yaml-read.js";

export interface Refusal {
  readonly message: string;
  readonly at: YamlNode;
  readonly field: string;
}

const textAt = (node: YamlNode, key: string): string => {
  const found = child(node, key);
  return found?.type === "scalar" ? found.text : "";
};

/** How kubectl begins the line of an error; beside an object, with both streams in one file, it reads as a member of it. */
const ERROR_LINE = /^(error|Error from server( \([A-Za-z]+\))?|Unable to connect to the server)$/;

/** The answer of an API server (`kind: Status`), or an error that kubectl wrote between the lines of an object. */
export function refusalIn(node: YamlNode): Refusal | undefined {
  if (node.type !== "mapping") return undefined;
  if (
    textAt(node, "kind") === "Status" &&
    textAt(node, "apiVersion") === "v1" &&
    textAt(node, "status") === "Failure"
  )
    return { message: textAt(node, "message"), at: node, field: "status" };
  const line = node.entries.find(({ name, value }) => value.type === "scalar" && ERROR_LINE.test(name));
  return line === undefined || line.value.type !== "scalar"
    ? undefined
    : { message: line.value.text, at: line.key, field: line.name };
}
