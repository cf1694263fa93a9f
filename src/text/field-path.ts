/** Kubernetes field paths: keys joined by dots, list indices in brackets. */

/** `a.b[0].c` */
export function formatPath(path: readonly (string | number)[]): string {
  let text = "";
  for (const part of path) text += typeof part === "number" ? `[${part}]` : text === "" ? part : `.${part}`;
  return text;
}
