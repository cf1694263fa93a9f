/**
 * The steps of the bootstrap node as its release takes them, from tables/bootstrap-steps.json
 * (docs/reference/ignition-configs.md §2f, §2h), and as the text that slipway-boot reads. Conditions are decided here,
 * so that the node's file says what will be done and nothing else.
 */
import { holdsAt, rowsAt } from "../../../core/by-release.js";
import { formatRelease, type Release } from "../../../core/release.js";
import { type Step as Row, TABLE, type Texts } from "../../../generated/tables/bootstrap-steps.js";
import type { BootInput } from "./input.js";

export interface Copy {
  /** Below /opt/openshift; `FOLDER/*` are its files. */
  readonly from: string;
  /** Absolute, or below /opt/openshift; a folder if it ends in a slash. */
  readonly to: string;
  readonly kind: "copy" | "copy?" | "tree";
}

/** One step with everything that depends on release and config decided; `%{…}` is left to the node. */
export interface Step {
  readonly name: string;
  readonly what: string;
  /** Payload tag or `%{release}`; undefined where a program of the node runs, or none. */
  readonly image: string | undefined;
  readonly host: boolean;
  readonly advisory: boolean;
  /** Seconds. */
  readonly retry: number | undefined;
  readonly needs: readonly string[];
  readonly clears: readonly string[];
  readonly options: readonly string[];
  readonly args: readonly string[];
  readonly save: string | undefined;
  readonly writes: readonly string[];
  readonly copies: readonly Copy[];
  readonly removes: readonly string[];
}

/** True when boot images of the release lack what the node image brings. */
export const needsNodeImage = (each: Release): boolean => holdsAt(TABLE.node.nodeImage, each);

/** openshift/ is copied into manifests/ before anything looks for a file there. */
const holds = ({ files }: BootInput, path: string): boolean =>
  files.includes(path) || files.includes(path.replace(/^manifests\//, "openshift/"));

/** Whether a row is for the way in which the machine is used. */
const fitsForm = ({ inPlace }: { readonly inPlace?: boolean }, { installationDisk }: BootInput): boolean =>
  inPlace === undefined || inPlace === (installationDisk !== undefined);

/** The texts that hold, with the values that are known by now. */
export function textsOf(texts: Texts | undefined, input: BootInput): readonly string[] {
  const values: { readonly [name: string]: string | undefined } = {
    "%{api}": `api.${input.clusterDomain}`,
    "%{api-int}": `api-int.${input.clusterDomain}`,
    "%{cluster-profile}": input.clusterProfile,
  };
  return (texts ?? [])
    .map((text) => (typeof text === "string" ? { value: text } : text))
    .filter(
      (each) =>
        holdsAt(each, input.release) &&
        fitsForm(each, input) &&
        (each.withFile === undefined || holds(input, each.withFile)) &&
        (each.withoutFile === undefined || !holds(input, each.withoutFile)) &&
        (each.withClusterProfile !== true || input.clusterProfile !== undefined),
    )
    .map(({ value }) => value.replace(/%\{[^{}]+\}/g, (name) => values[name] ?? name));
}

const stepOf = (row: Row, input: BootInput): Step => ({
  name: row.name,
  what: row.what,
  image: row.image,
  host: row.host ?? false,
  advisory: row.advisory ?? false,
  retry: row.retry,
  needs: textsOf(row.needs, input),
  clears: row.clears ?? [],
  options: textsOf(row.options, input),
  args: textsOf(row.args, input),
  save: row.save,
  writes: textsOf(row.writes, input),
  copies: rowsAt(row.copies ?? [], input.release).map(({ from, to, tree, optional }) => ({
    from,
    to,
    kind: tree ? "tree" : optional ? "copy?" : "copy",
  })),
  removes: row.removes ?? [],
});

/** The steps of a release in their order. */
export const stepsOf = (input: BootInput): readonly Step[] =>
  rowsAt(TABLE.steps, input.release)
    .filter((row) => fitsForm(row, input))
    .map((row) => stepOf(row, input));

/** Options of podman run that every step has. */
export const containerOptions = (input: BootInput): readonly string[] => textsOf(TABLE.container, input);

const linesOf = (step: Step): readonly string[] => [
  `step ${step.name}`,
  `about ${step.what}`,
  ...(step.advisory ? ["advisory"] : []),
  ...step.needs.map((path) => `need ${path}`),
  ...step.clears.map((path) => `clear ${path}`),
  ...(step.image === undefined ? [] : [`image ${step.image}`]),
  ...(step.host ? ["host"] : []),
  ...step.options.map((option) => `option ${option}`),
  ...step.args.map((arg) => `arg ${arg}`),
  ...(step.save === undefined ? [] : [`save ${step.save}`]),
  ...(step.retry === undefined ? [] : [`retry ${step.retry}`]),
  ...step.copies.map(({ kind, from, to }) => `${kind} ${from} ${to}`),
  ...step.removes.map((path) => `remove ${path}`),
];

/** The file /etc/slipway/boot-steps; its words are explained at the top of slipway-boot. */
export function stepsFile(input: BootInput): string {
  const head = [
    `# Steps of an OpenShift ${formatRelease(input.release)} bootstrap node; slipway-boot runs them and documents their keywords.`,
    ...containerOptions(input).map((option) => `every ${option}`),
  ];
  return `${[head, ...stepsOf(input).map(linesOf)].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}
