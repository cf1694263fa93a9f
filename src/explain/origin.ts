/**
 * Where a file that slipway writes comes from, or a field of it: template, phase and asset, what it is made from, rows by
 * release, and the sections that say why. The table is read from the code by the build (scripts/generate-origins.mjs).
 */
import { lookup } from "../core/lookup.js";
import {
  ANSWERS,
  FIELDS,
  MADE,
  type Made,
  type Maker,
  ORIGINS,
  type Origin,
  OWN_FILES,
  ROWS,
  STATE_MEMBERS,
  type ViewNode,
} from "../generated/origins/table.js";
import { closest } from "../text/closest.js";
import { fieldOnLine, textInConfig } from "./lines.js";

export interface OriginQuestion {
  /** Path below the asset directory, or the name of a file; an absolute one is of the bootstrap node. */
  readonly file: string;
  /** Field of the object in the file, or path of a file in bootstrap.ign; undefined asks for all of it. */
  readonly field: string | undefined;
  /** The platform of the cluster; undefined where nothing tells it. */
  readonly platform: string | undefined;
}

/** What something is made from, by where people find it. */
export interface OriginInputs {
  /** Fields of the install-config; empty text for all of it. */
  readonly installConfig: readonly string[];
  /** Members of the state file, with what of them is used. */
  readonly state: readonly { readonly member: string; readonly part: string }[];
  /** Fields of the facts. */
  readonly facts: readonly string[];
  readonly flags: readonly string[];
  /** Files of the directory as they are on disk. */
  readonly files: readonly string[];
  /** What is neither. */
  readonly others: readonly string[];
}

export interface FileOrigin {
  readonly about: string;
  /** The platform that alone has it. */
  readonly platform?: string;
  /** Path of the template; absent for a file that is written as text. */
  readonly template?: string;
  readonly phase?: string;
  /** The declaration that renders it, and its source. */
  readonly asset: string;
  readonly source: string;
  /** Place in the view of the template; null where the template itself has the text, absent for the whole file. */
  readonly view?: string | null;
  readonly inputs: OriginInputs;
  /** What the platform is asked, with the source of its answers where the platform is known. */
  readonly platformAnswers: readonly string[];
  /** Files of tables that it is taken from, or that decide about it; each says its own source. */
  readonly tables: readonly string[];
  readonly releases: readonly {
    readonly table: string;
    readonly name: string;
    readonly since?: string;
    readonly before?: string;
    readonly about?: string;
  }[];
  readonly references: readonly string[];
}

export type OriginAnswer =
  | { readonly found: true; readonly origins: readonly FileOrigin[] }
  | { readonly found: false; readonly problem: string };

/** What stands on a line, beside where it comes from. */
export type LineOrigin =
  | { readonly found: true; readonly field?: string; readonly origins: readonly FileOrigin[] }
  | { readonly found: false; readonly problem: string };

/** Folders that hold objects of infrastructure-manifests as well: with secrets, and of all clusters. */
const BESIDE = /^infrastructure-manifests-(?:secrets|shared)\//;
/** Files that hold objects of the user's own infrastructure, where no template makes them. */
const COPIED =
  /^(?:infrastructure-manifests\/)?(?:1[12]_[^/]+|40_infrastructure-cluster|50_machine-template|51_machine-template-[^/]+)\.yaml$/;
const OF_THE_USER: Made = {
  reads: ["options.customInfrastructure", "options.crds"],
  rows: [],
  asks: [],
  cites: [],
};
const NOTHING: Made = { reads: [], rows: [], asks: [], cites: [] };

/** The origins of a file: one for each template that it may be rendered from. */
export function originOf({ file, field, platform }: OriginQuestion): OriginAnswer {
  const path = file.replaceAll("\\", "/").replace(/^\.\//, "").replace(BESIDE, "infrastructure-manifests/");
  const inNode = [field, path].find((each) => each?.startsWith("/"));
  if (inNode !== undefined) return ofNode(inNode, platform);
  const own = OWN_FILES.find((each) => each.path === path || each.path.endsWith(`/${path}`));
  if (own !== undefined)
    return field === undefined
      ? { found: true, origins: [described(own, NOTHING, undefined)] }
      : { found: false, problem: `${file} is not rendered from a template; omit the field` };
  const origins = candidates(path, platform);
  const copied = COPIED.test(path) ? OWN_FILES.find(({ asset }) => asset === "CUSTOM_FILE") : undefined;
  if (origins.length === 0 && copied !== undefined)
    return { found: true, origins: [described(copied, OF_THE_USER, undefined)] };
  if (origins.length === 0) {
    const near = closest(path, allNames(platform));
    return {
      found: false,
      problem: `no phase writes ${file}${platform === undefined ? "" : ` on ${platform}`}; ${near === undefined ? "use a path in the asset directory, or a file name" : `did you mean ${near}?`}`,
    };
  }
  if (field === undefined) return { found: true, origins: origins.map((each) => ofFile(each, platform)) };
  const found = origins.flatMap((each) => ofField(each, field, platform) ?? []);
  if (found.length > 0) return { found: true, origins: found };
  const fields = origins.flatMap(({ template }) => Object.keys(fieldsOf(template)));
  if (fields.length === 0)
    return { found: false, problem: `${file} is not rendered from a template; omit the field` };
  const near = closest(field, fields);
  return {
    found: false,
    problem: `${file} has no field ${field}; ${near === undefined ? `its template is ${templatePath(origins[0]?.template ?? "")}` : `did you mean ${near}?`}`,
  };
}

/**
 * The origins of what stands on a line of a file, whose text is as it is on disk; where the question names a file of the
 * bootstrap node, of a line of that one.
 */
export function originOfLine(question: OriginQuestion, line: number, text: string): LineOrigin {
  const { file, field: node, platform } = question;
  if (node !== undefined) return ofLineOfNode({ file, node, platform }, line, text);
  const place = fieldOnLine(text, file, line);
  if (!place.found) return place;
  const whole = originOf(question);
  const { field } = place;
  const isObject = field?.startsWith("/") || (whole.found && whole.origins.some(({ template }) => template));
  // What SOPS adds is of the file as a whole.
  if (!whole.found || field === undefined || !isObject || /^sops\b/.test(field)) return whole;
  const answer = originOf({ file, field, platform });
  return answer.found
    ? { ...answer, field }
    : { found: false, problem: `line ${line} of ${file} belongs to ${field}, which slipway does not write` };
}

interface NodeQuestion {
  readonly file: string;
  /** Path on the bootstrap node. */
  readonly node: string;
  readonly platform: string | undefined;
}

/** A manifest that the bootstrap node gets is that of the asset directory. */
function ofLineOfNode({ file, node, platform }: NodeQuestion, line: number, text: string): LineOrigin {
  const inside = textInConfig(text, file, node);
  if (inside === undefined) return { found: false, problem: `${file} contains no text for ${node}` };
  const manifest = /^\/opt\/openshift\/((?:manifests|openshift)\/[^/]+)$/.exec(node)?.[1];
  const asked = { file: manifest ?? node, field: undefined, platform };
  const origin = originOfLine(asked, line, inside);
  if (origin.found) return origin;
  const place = fieldOnLine(inside, node, line);
  return place.found ? originOf({ ...asked, file: node }) : place;
}

/** Of a file of the bootstrap node, which bootstrap.ign writes there. */
function ofNode(path: string, platform: string | undefined): OriginAnswer {
  const origins = candidates(path, platform);
  if (origins.length > 0) return { found: true, origins: origins.map((each) => ofFile(each, platform)) };
  const near = closest(
    path,
    allNames(platform).filter((name) => name.startsWith("/")),
  );
  return {
    found: false,
    problem: `bootstrap.ign contains no ${path}${near === undefined ? "" : `; did you mean ${near}?`}`,
  };
}

const isOf = ({ platform }: Origin, asked: string | undefined): boolean =>
  platform === undefined || asked === undefined || platform === asked;

/** The origins whose path fits best: a name without stars before one with, a long one before a short one. */
function candidates(path: string, platform: string | undefined): readonly Origin[] {
  const fitting = ORIGINS.filter((each) => isOf(each, platform) && fits(path, each.path));
  const best = Math.max(...fitting.map(rank));
  return fitting.filter((each) => rank(each) === best);
}

const rank = ({ path }: Origin): number => (path.includes("*") ? path.length : Number.MAX_SAFE_INTEGER);

function fits(path: string, pattern: string): boolean {
  const base = pattern.slice(pattern.lastIndexOf("/") + 1);
  const isName = !path.includes("/") && base !== pattern;
  // A name alone says nothing where any name would fit.
  if (isName && base.startsWith("*")) return false;
  return expressionOf(isName ? base : pattern).test(path);
}

const EXPRESSIONS = new Map<string, RegExp>();

function expressionOf(pattern: string): RegExp {
  const known = EXPRESSIONS.get(pattern);
  if (known !== undefined) return known;
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  // Below the folders of the bootstrap node, a part that varies may be a path.
  const made = new RegExp(`^${parts.join(pattern.startsWith("/") ? ".*" : "[^/]*")}$`);
  EXPRESSIONS.set(pattern, made);
  return made;
}

const allNames = (platform: string | undefined): string[] => [
  ...ORIGINS.filter((each) => isOf(each, platform)).map(({ path }) => path),
  ...OWN_FILES.map(({ path }) => path),
];

const made = (number: number): Made => MADE[number] ?? NOTHING;

const templatePath = (name: string): string => `templates/${name}.hbs`;

const fieldsOf = (template: string | undefined): { readonly [field: string]: string | null } =>
  template === undefined ? {} : (lookup(FIELDS, template) ?? {});

const ofFile = (origin: Origin, platform: string | undefined): FileOrigin =>
  described(origin, made(origin.from), platform, origin);

/** Of a field: what its place in the view is made from. Of several places those of all. */
function ofField(origin: Origin, field: string, platform: string | undefined): FileOrigin | undefined {
  const asked = segments(field);
  const fields = Object.entries(fieldsOf(origin.template)).map(([name, view]) => ({
    path: segments(name),
    view,
  }));
  const above = fields
    .filter(({ path, view }) => startsWith(asked, path) && (view !== null || path.length === asked.length))
    .sort((a, b) => b.path.length - a.path.length)[0];
  const below = above === undefined ? fields.filter(({ path }) => startsWith(path, asked)) : [above];
  if (below.length === 0) return undefined;
  const views = below.flatMap(({ view }) => view ?? []);
  const places = below.flatMap(({ path, view }) =>
    view === null ? [] : [placeIn(origin, [...segments(view), ...asked.slice(path.length)])],
  );
  const [view = null] = views.map((each) =>
    [each, ...asked.slice(above?.path.length ?? asked.length)].join("."),
  );
  return {
    ...described(origin, union(places.map(made)), platform, origin),
    view: new Set(views).size > 1 ? views.join(", ") : view,
  };
}

/** What a place in the view is made from: as far down as the code says, else from what the file is. */
function placeIn(origin: Origin, path: readonly string[]): number {
  const [first = "", ...rest] = path;
  let node: ViewNode | undefined = lookup(origin.view, first);
  if (node === undefined) return origin.from;
  for (const name of rest) {
    const next: ViewNode | undefined = node.members === undefined ? undefined : lookup(node.members, name);
    if (next === undefined) break;
    node = next;
  }
  return node.from;
}

/** `a.b[0].c` and `labels[x.y/z]` as the names on the way; indices say nothing here. */
const segments = (field: string): string[] =>
  [...field.matchAll(/\[([^\]]*)\]?|[^.[\]]+/g)]
    .map(([whole, bracketed]) => bracketed ?? whole)
    .filter((name) => !/^[0-9]*$/.test(name));

const startsWith = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((name, index) => path[index] === name);

const union = (all: readonly Made[]): Made => ({
  reads: [...new Set(all.flatMap(({ reads }) => reads))],
  tables: [...new Set(all.flatMap(({ tables = [] }) => tables))].sort(),
  rows: [...new Set(all.flatMap(({ rows }) => rows))],
  asks: [...new Set(all.flatMap(({ asks }) => asks))],
  cites: [...new Set(all.flatMap(({ cites }) => cites))],
});

function described(maker: Maker, from: Made, platform: string | undefined, origin?: Origin): FileOrigin {
  const answers = platform === undefined ? {} : (lookup(ANSWERS, platform) ?? {});
  const all = union([from, ...from.asks.flatMap((ask) => lookup(answers, ask) ?? []).map(made)]);
  return {
    about: maker.about,
    ...(origin?.platform === undefined ? {} : { platform: origin.platform }),
    ...(origin?.template === undefined ? {} : { template: templatePath(origin.template) }),
    ...(origin === undefined ? {} : { phase: origin.phase }),
    asset: maker.asset,
    source: maker.source,
    inputs: inputsOf(all.reads),
    platformAnswers: from.asks,
    tables: all.tables ?? [],
    releases: all.rows.map((row) => {
      const [table = "", name = ""] = row.split("#");
      return { table, name, ...lookup(ROWS, row) };
    }),
    references: [...new Set([...all.cites, ...maker.cites])].sort(),
  };
}

/** Members of the state that hold what a phase is given; a key that has none of its own is among all keys. */
const MEMBERS: readonly (readonly [prefix: string, member: string])[] = [
  ["identity", "clusterID"],
  ["kubeadmin", "kubeadmin"],
  ["pki.rootCA", "rootCA"],
  ["pki.machineConfigServer", "machineConfigServer"],
  ["pki.internalReleaseImage", "releaseImagePair"],
  ["pki", "keys"],
  ["credentials", "credentials"],
];

/** Options that are more than one flag, or none: what no command sets yet. */
const FLAGS: { readonly [option: string]: readonly string[] } = {
  effectiveVersions: ["--emulated-version", "--min-compatibility-version"],
  bootstrapNodeIP: [],
  clusterProfile: [],
  forms: [],
  machines: ["--autoscaler-bounds", "--machine-health-checks", "--machine-management"],
};
/** Options that come from the directory itself. */
const OF_THE_DIRECTORY: { readonly [option: string]: string } = {
  boundServiceAccountKey: "tls/bound-service-account-signing-key.key",
  kept: "infrastructure-manifests/",
  leftOut: ".slipway/record.json",
  nameKey: ".openshift_install_state.json",
};

function inputsOf(reads: readonly string[]): OriginInputs {
  const below = (root: string): string[] =>
    reads
      .filter((each) => each === root || each.startsWith(`${root}.`))
      .map((each) => each.slice(root.length + 1));
  const options = [...new Set(below("options").map((each) => each.split(".")[0] ?? ""))].filter(
    (each) => each !== "",
  );
  const config = below("install-config").map((each) => (/^(?:normalForm|file)$/.test(each) ? "" : each));
  return {
    installConfig: [...new Set(config)].map((each) => each.replaceAll(".[", "[")).sort(),
    state: reads.flatMap((each) => {
      const found = MEMBERS.find(([prefix]) => each === prefix || each.startsWith(`${prefix}.`));
      if (found === undefined) return [];
      const [prefix, member] = found;
      return [{ member: lookup(STATE_MEMBERS, member) ?? member, part: each.slice(prefix.length + 1) }];
    }),
    facts: below("facts").sort(),
    flags: [
      ...options
        .filter((each) => lookup(OF_THE_DIRECTORY, each) === undefined)
        .flatMap(
          (each) =>
            lookup(FLAGS, each) ?? [`--${each.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`],
        ),
      ...(reads.includes("release") ? ["--release"] : []),
      ...(reads.includes("credentials") ? ["--credentials"] : []),
    ].sort(),
    files: unique([
      ...(below("files").length > 0 ? ["manifests/", "openshift/"] : []),
      ...(reads.includes("state") ? [".openshift_install_state.json"] : []),
      ...options.flatMap((each) => lookup(OF_THE_DIRECTORY, each) ?? []),
    ]),
    others: reads.includes("tool") ? ["name and version of slipway"] : [],
  };
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** The origins as text for people; `named` is what was asked for, `field` what was found on a line. */
export function describeOrigins(named: string, origins: readonly FileOrigin[], field?: string): string {
  return origins.map((origin) => describe(named, origin, field)).join("\n");
}

function describe(named: string, origin: FileOrigin, field: string | undefined): string {
  const { inputs } = origin;
  const lines: (readonly [string, readonly string[]])[] = [
    ["FILE", [named]],
    ["FIELD", field === undefined ? [] : [field]],
    ["ABOUT", [origin.about]],
    ["PLATFORM", origin.platform === undefined ? [] : [`${origin.platform} alone`]],
    ["TEMPLATE", [origin.template ?? "none: written as text"]],
    ["VIEW", origin.view === undefined ? [] : [origin.view ?? "none: the text is in the template"]],
    ["PHASE", origin.phase === undefined ? [] : [`slipway create ${origin.phase}`]],
    ["ASSET", [`${origin.asset} in ${origin.source}`]],
    ["CONFIG", inputs.installConfig.map((field) => (field === "" ? "the whole install-config" : field))],
    ["STATE", inputs.state.map(({ member, part }) => (part === "" ? member : `${member}: ${part}`))],
    ["FACTS", inputs.facts.map((field) => (field === "" ? "all facts" : field))],
    ["FLAGS", inputs.flags],
    ["FILES", inputs.files],
    ["OTHERS", inputs.others],
    ["TABLES", origin.tables],
    ["ASKED OF", origin.platformAnswers.map((question) => `platform.${question}`)],
    [
      "RELEASES",
      origin.releases.map(({ table, name, since, before, about }) => {
        const span = [since && `since ${since}`, before && `before ${before}`].filter(Boolean).join(", ");
        return `${name} (${span}${about === undefined ? "" : `; ${about}`}) in ${table}`;
      }),
    ],
    ["WHY", origin.references],
  ];
  const width = Math.max(...lines.map(([name]) => name.length)) + 2;
  return lines
    .flatMap(([name, values]) =>
      values.map((value, index) => `${(index === 0 ? name : "").padEnd(width)}${value}\n`),
    )
    .join("");
}
