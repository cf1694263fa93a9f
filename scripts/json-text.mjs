/** JSON as the files of tables/ are laid out: what fits a line stands on one. */
const WIDTH = 110;

/** `reserved`: what else stands on the line of the value, such as its key and the comma after it. */
export function jsonText(value, indent = "", reserved = 0) {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const isList = Array.isArray(value);
  const [open, close] = isList ? "[]" : "{}";
  if (entries.length === 0) return open + close;
  const line = oneLine(value);
  if (indent.length + reserved + line.length <= WIDTH) return line;
  const deeper = `${indent}  `;
  const members = entries.map(([name, each], index) => {
    const key = isList ? "" : `${JSON.stringify(name)}: `;
    const comma = index < entries.length - 1 ? 1 : 0;
    return `${deeper}${key}${jsonText(each, deeper, key.length + comma)}`;
  });
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

function oneLine(value) {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  if (entries.length === 0) return "{}";
  return `{ ${entries.map(([name, each]) => `${JSON.stringify(name)}: ${oneLine(each)}`).join(", ")} }`;
}
