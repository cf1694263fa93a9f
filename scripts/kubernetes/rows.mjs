// Files of tables/ as text, and rows `{since, before}` by release.

/** `1.36` as a number that orders releases. */
export const minorOf = (release) => {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(release) ?? [];
  if (minor === undefined) throw new Error(`${release} is no release, such as 1.38`);
  return Number(major) * 1000 + Number(minor);
};

/** The releases beside one. */
export const releasesOf = (release) => {
  const [major, minor] = release.split(".").map(Number);
  return { before: `${major}.${minor - 1}`, after: `${major}.${minor + 1}` };
};

/** True when a release is `last` or older. */
export const within = (release, last) => minorOf(release) <= minorOf(last);

/** True when a row holds at a release. */
export const holdsAt = ({ since, before }, release) =>
  (since === undefined || within(since, release)) && (before === undefined || !within(before, release));

export const sameJson = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** A row without what came after a release; undefined where the row itself did. */
export function cutRow(row, last) {
  if (row.since !== undefined && !within(row.since, last)) return undefined;
  const { before, ...rest } = row;
  return before === undefined || within(before, last) ? row : rest;
}

/** The rows of a list without what came after a release. */
export const cutRows = (rows, last) =>
  rows.map((row) => cutRow(row, last)).filter((row) => row !== undefined);

const WIDTH = 110;

/**
 * JSON as it is formatted in this repository. Lists of plain values stand on one line where they fit; so does an object
 * that `inline` says it of, by its path such as `entries[]`.
 */
export function tableText(table, inline = () => false) {
  const text = (value, indent, before, path) => {
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const list = Array.isArray(value);
    const members = list ? value : Object.entries(value);
    if (members.length === 0) return list ? "[]" : "{}";
    const plain = list && value.every((each) => typeof each !== "object" || each === null);
    if (plain || (!list && inline(path))) {
      const flat = list
        ? `[${value.map((each) => JSON.stringify(each)).join(", ")}]`
        : `{ ${members.map(([name, each]) => `${JSON.stringify(name)}: ${text(each, "", 0, "")}`).join(", ")} }`;
      if (before + flat.length + 1 <= WIDTH && !flat.includes("\n")) return flat;
    }
    const deeper = `${indent}  `;
    const lines = members.map((member) => {
      if (list) return `${deeper}${text(member, deeper, deeper.length, `${path}[]`)}`;
      const head = `${deeper}${JSON.stringify(member[0])}: `;
      return `${head}${text(member[1], deeper, head.length, path === "" ? member[0] : `${path}.${member[0]}`)}`;
    });
    return `${list ? "[" : "{"}\n${lines.join(",\n")}\n${indent}${list ? "]" : "}"}`;
  };
  return `${text(table, "", 0, "")}\n`;
}
