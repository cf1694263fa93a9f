/** Paths as Ignition wants them: absolute, and without anything to shorten. */

/** What is wrong with a path; undefined for a good one. */
export function pathFault(path: string): string | undefined {
  if (path === "") return "the path is missing";
  if (!path.startsWith("/")) return `${JSON.stringify(path)} is not absolute`;
  if (
    path !== "/" &&
    (path.endsWith("/") ||
      path.includes("//") ||
      path.split("/").some((part) => part === "." || part === ".."))
  )
    return `${JSON.stringify(path)} is not in its shortest form`;
  return undefined;
}
