/** Paths as Ignition wants them: absolute, and without anything to shorten. */

/** What is wrong with a path; undefined for a good one. */
export function pathFault(path: string): string | undefined {
  if (path === "") return "required value is missing: path";
  if (!path.startsWith("/")) return `invalid path ${JSON.stringify(path)}: must be absolute`;
  if (
    path !== "/" &&
    (path.endsWith("/") ||
      path.includes("//") ||
      path.split("/").some((part) => part === "." || part === ".."))
  )
    return `invalid path ${JSON.stringify(path)}: must be in its shortest form`;
  return undefined;
}
