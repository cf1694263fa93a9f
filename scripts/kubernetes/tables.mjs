// All tables of Kubernetes' releases: how a release is added to them, how they were at an older one, and their text.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addApis, cutApis } from "./apis.mjs";
import { addCel, cutCel } from "./cel.mjs";
import { changedCosts, readCosts } from "./cel-costs.mjs";
import { addFunctions, cutFunctions } from "./cel-functions.mjs";
import { addDemands, cutDemands } from "./demands.mjs";
import { addFields, cutFields } from "./fields.mjs";
import { addFlags, cutFlags } from "./flags.mjs";
import { addGates, cutGates, unreadPackages } from "./gates.mjs";
import { addMessages, cutMessages } from "./messages.mjs";
import { minorOf, releasesOf, tableText, within } from "./rows.mjs";
import { addSkew } from "./skew.mjs";
import { addStorage, cutStorage } from "./storage.mjs";
import { addWatches, cutWatches } from "./watches.mjs";

/**
 * The tables by name, in the order in which they are made: what adds a release (`add(table, kubernetes, apis, more)`, which
 * gives nothing where the table has to stay as it is), what takes newer ones away, and the objects that stand on one line.
 * The messages do not tell by themselves what an older release had; costs are written by hand.
 */
const TABLES = {
  "kubernetes-apis": { add: addApis, cut: cutApis },
  "kubernetes-gates": { add: addGates, cut: cutGates },
  "kubernetes-storage": { add: addStorage, cut: cutStorage },
  "kubernetes-watches": { add: addWatches, cut: cutWatches },
  "kubernetes-messages": { add: addMessages, cut: (table) => table },
  "kubernetes-fields": {
    add: addFields,
    cut: cutFields,
    inline: (path) => path === "rows[]" || path === "gates[]",
  },
  "kubernetes-demands": {
    add: (table, kubernetes, _, { messages }) => addDemands(table, kubernetes, messages.messages),
    cut: cutDemands,
    inline: (path) => path === "values[]",
  },
  "kubernetes-flags": {
    add: (table, { release }, _, { flags }) => flags && addFlags(table, release, flags),
    cut: cutFlags,
    inline: (path) => path === "flags[]" || path === "deprecated[]",
  },
  "kubernetes-cel": { add: addCel, cut: cutCel, inline: (path) => path === "entries[]" },
  "kubernetes-cel-functions": {
    add: (table, { release }, _, { functions }) => functions && addFunctions(table, release, functions),
    cut: cutFunctions,
  },
  "kubernetes-cel-costs": {
    add: (table, kubernetes, _, { costsCompared }) =>
      costsCompared
        ? { ...table, compared: readCosts(kubernetes) }
        : changedCosts(table, kubernetes).length === 0
          ? table
          : undefined,
    cut: (table) => table,
    inline: (path) => /^(?:facts\.\w+|calls\[\])$/.test(path),
  },
  "kubernetes-skew": {
    add: addSkew,
    cut: (table) => table,
    inline: (path) => /\.(?:min|max|published)$/.test(path),
  },
};

/** The texts of the tables in a folder: name → text. */
export const textsIn = (folder) =>
  Object.fromEntries(
    Object.keys(TABLES).map((name) => [name, readFileSync(join(folder, `${name}.json`), "utf8")]),
  );

/** Texts as tables: name → table. */
export const tablesIn = (texts) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, JSON.parse(text)]));

/** The tables as they are written: name → text. */
export const textsOf = (tables) =>
  Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [name, tableText(table, TABLES[name].inline)]),
  );

/** Members that say of which releases a table is. */
const reviewedAt = (table, release, patches) => ({ ...table, reviewed: release, patches });

/**
 * The tables as they were at an older release. `sources`, where they are given, are those of that release and of all
 * newer ones in the tables, for the table of messages.
 */
export function tablesUpTo(tables, last, sources = []) {
  return Object.fromEntries(
    Object.entries(tables).map(([name, table]) => {
      const patches = Object.fromEntries(
        Object.entries(table.patches).filter(([each]) => within(each, last)),
      );
      const [older, ...newer] = sources;
      const cut =
        name === "kubernetes-messages" && older !== undefined
          ? cutMessages(table, older, newer)
          : TABLES[name].cut(table, last);
      return [name, reviewedAt(cut, last, patches)];
    }),
  );
}

/**
 * The tables with a release of Kubernetes: the next after their last one, or that one again. `more.functions` is what
 * readFunctions gives, `more.flags` what readFlags gives, `more.costsCompared` tells that somebody compared the costs; without them these tables may stay.
 */
export function tablesWith(tables, kubernetes, more = {}) {
  const { release, version } = kubernetes;
  const { last } = tables["kubernetes-apis"].releases;
  const { before, after } = releasesOf(last);
  if (release !== last && release !== after)
    throw new Error(
      minorOf(release) < minorOf(last)
        ? `the tables have ${last}: only that release can be made again, not ${release}`
        : `the tables end with ${last}: add ${after} first`,
    );
  const unread = unreadPackages(kubernetes);
  if (unread.length > 0)
    throw new Error(`gates that scripts/kubernetes/gates.mjs does not read: ${unread.join(", ")}`);
  const made = release === last ? tablesUpTo(tables, before) : { ...tables };
  for (const [name, { add }] of Object.entries(TABLES)) {
    const messages = made["kubernetes-messages"];
    const next = add(made[name], kubernetes, made["kubernetes-apis"], { ...more, messages });
    if (next === undefined) made[name] = tables[name];
    else made[name] = reviewedAt(next, release, { ...made[name].patches, [release]: version });
  }
  return made;
}
