/** What an asset directory tells Git: which files must not be committed, and that line ends are not to be touched. */
import { asCommitted } from "../text/yaml-content.js";
import { AGENT_CONFIG_IMAGE, STATE_FILE } from "./layout.js";

/** `inline`: the Secrets lie with the objects; `separate`: apart; `sops`: everything secret is encrypted. */
export type GitLayout = "inline" | "separate" | "sops";
export const GIT_LAYOUTS = ["inline", "separate", "sops"] as const satisfies readonly GitLayout[];

export const IGNORE_FILE = ".gitignore";
export const ATTRIBUTES_FILE = ".gitattributes";

const SECRET = [
  `/${STATE_FILE}`,
  "/manifests/",
  "/openshift/",
  "/cluster-api/",
  "/infrastructure-manifests-secrets/",
  "/auth/",
  "/data-secrets/",
  "/*.ign",
  `/${AGENT_CONFIG_IMAGE}`,
  // On some platforms it holds logins.
  "/metadata.json",
];
/** Lines that an ignore file of an earlier version lacks, because it wrote no such folder or file. */
const LATER: ReadonlySet<string> = new Set(["/cluster-api/", `/${AGENT_CONFIG_IMAGE}`]);
/** Keys that a user brings are never encrypted by slipway. */
const OWN_KEYS = "/tls/";

/** Patterns of everything that slipway writes in the layout and that holds a secret in the open. */
export const ignoredPaths = (layout: GitLayout): readonly string[] =>
  layout === "sops"
    ? [`/${AGENT_CONFIG_IMAGE}`, OWN_KEYS]
    : [...SECRET, ...(layout === "inline" ? ["/infrastructure-manifests/"] : []), OWN_KEYS];

/** Git changes no line end in what is compared byte by byte. */
export const ATTRIBUTES = [
  "*.yaml text eol=lf",
  "*.yml text eol=lf",
  "*.json text eol=lf",
  "*.ign text eol=lf",
];

const HEAD = "# Written by slipway: files with secrets of the cluster are not committed.";

export const ignoreText = (layout: GitLayout): string => `${[HEAD, ...ignoredPaths(layout)].join("\n")}\n`;

/**
 * The text of a file with the lines that it lacks at its end; undefined where it lacks none. What the user wrote stays
 * as it is.
 */
export function withLines(old: string | undefined, lines: readonly string[]): string | undefined {
  const present = new Set((old ?? "").split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return undefined;
  const start = old === undefined || old === "" ? "" : old.endsWith("\n") ? old : `${old}\n`;
  return `${start}${missing.join("\n")}\n`;
}

/** Every line that slipway writes in some layout. */
const OWN: ReadonlySet<string> = new Set(GIT_LAYOUTS.flatMap(ignoredPaths));

/** In the place of the lines for both folders, where manifests are reviewed in Git (docs/asset-directory.md). */
const REVIEWED = [
  "/manifests/cluster-config.yaml",
  "/manifests/*secret*.yaml",
  "/openshift/*secret*.yaml",
  "!/openshift/99_role-cloud-creds-secret-reader.yaml",
];

/** An ignore file with one of these lines keeps manifests out of Git, or those with secrets. */
const KEEPING_OUT = ["/manifests/", "/openshift/", ...REVIEWED];

/** Lines about what slipway writes, its own and those that the documentation has: of a text those that it has, else all. */
export function ownLines(text?: string): readonly string[] {
  const all = [...OWN, ...REVIEWED];
  if (text === undefined) return all;
  const present = new Set(linesOf(text));
  return all.filter((line) => present.has(line));
}

export const linesOf = (text: string): string[] => text.split(/\r?\n/).map((line) => line.trim());

/** Lines of slipway's own for another layout, which keep from Git what is to be committed in this one. */
export const heldBack = (text: string, layout: GitLayout): readonly string[] =>
  linesOf(text).filter((line) => OWN.has(line) && !ignoredPaths(layout).includes(line));

/** The ignore file for a layout: without slipway's own lines for others, and with those that it lacks. */
export function relaid(old: string | undefined, layout: GitLayout): string | undefined {
  const others = new Set(heldBack(old ?? "", layout));
  const kept =
    others.size === 0
      ? old
      : (old ?? "")
          .split("\n")
          .filter((line) => !others.has(line.trim()))
          .join("\n");
  return withLines(kept, ignoredPaths(layout)) ?? (kept === old ? undefined : kept);
}

/**
 * The layout that an ignore file was laid out for, as `slipway init` does before the first run. Lines of the user's may
 * stand beside; where everything is committed there is one line alone, which says something by itself only.
 */
export function layoutOf(data: Uint8Array | undefined): GitLayout | undefined {
  const lines = new Set(linesOf(data === undefined ? "" : Buffer.from(asCommitted(data)).toString("utf8")));
  const has = (layout: GitLayout): boolean =>
    ignoredPaths(layout).every((line) => lines.has(line) || LATER.has(line));
  if (has("inline")) return "inline";
  if (has("separate")) return "separate";
  const own = ignoredPaths("sops");
  return has("sops") && [...lines].every((line) => line === "" || line === HEAD || own.includes(line))
    ? "sops"
    : undefined;
}

/**
 * The ignore file that a run writes; undefined where there is one of the user's, or the right one.
 * @param added lines for folders that this run is the first to write: one of the user's that keeps manifests/ or openshift/ out
 * of Git gets them
 */
export function refreshedIgnore(
  old: Uint8Array | undefined,
  layout: GitLayout,
  added: readonly string[] = [],
): string | undefined {
  const wanted = ignoreText(layout);
  if (old === undefined) return wanted;
  const text = Buffer.from(asCommitted(old)).toString("utf8");
  const lines = new Set(linesOf(text));
  const says = (each: GitLayout): boolean => {
    const own = ignoredPaths(each);
    return (
      [...lines].every((line) => line === "" || line === HEAD || own.includes(line)) &&
      own.every((line) => lines.has(line) || LATER.has(line))
    );
  };
  const isWhole = ignoredPaths(layout).every((line) => lines.has(line));
  if (GIT_LAYOUTS.some(says)) return isWhole && says(layout) ? undefined : wanted;
  return layout !== "sops" && KEEPING_OUT.some((line) => lines.has(line))
    ? withLines(text, added)
    : undefined;
}
