// The tables of Kubernetes' releases in tables/, made from the sources of a release.
//
//   node scripts/kubernetes-tables.mjs --release 1.38 --from FOLDER [--check] [--without-go] [--costs-compared] [--flags FILE]
//
// FOLDER is a Go module cache with k8s.io/kubernetes@v1.38.* and its staging modules of the same patch (the newest patch
// there counts), or a checkout of kubernetes/kubernetes. It is only read. The release is added to what the tables have of
// older ones; the newest that they have may be given again. --check writes nothing and fails where a table would change.
// Functions of expressions are asked by a Go program, built against the modules; --without-go leaves their table as it is.
// Flags are what the components have: FILE is JSON, {COMPONENT: [{Name, Default, Deprecated, Hidden}]} of their flag sets, or
// {COMPONENT: "what it prints for --help"}; without it their table stays as it is.
// What calls cost is written by hand: where its sources changed, the table waits until --costs-compared says that it was.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { changedCosts } from "./kubernetes/cel-costs.mjs";
import { readFunctions } from "./kubernetes/cel-functions.mjs";
import { readFlags } from "./kubernetes/flags.mjs";
import { kubernetesRelease } from "./kubernetes/go-source.mjs";
import { tablesIn, tablesWith, textsIn, textsOf } from "./kubernetes/tables.mjs";

const PROGRAM = fileURLToPath(new URL("kubernetes/cel-environment/main.go", import.meta.url));
const DATA = fileURLToPath(new URL("../tables", import.meta.url));

const { values } = parseArgs({
  options: {
    release: { type: "string" },
    from: { type: "string" },
    check: { type: "boolean" },
    "without-go": { type: "boolean" },
    "costs-compared": { type: "boolean" },
    flags: { type: "string" },
  },
});
if (values.release === undefined || values.from === undefined)
  throw new Error("node scripts/kubernetes-tables.mjs --release 1.38 --from FOLDER [--check]");
const kubernetes = kubernetesRelease(values.from, values.release);
const before = textsIn(DATA);
const functions = values["without-go"] ? undefined : readFunctions(kubernetes, PROGRAM);
const flags = values.flags === undefined ? undefined : readFlags(readFileSync(values.flags, "utf8"));
const costsCompared = values["costs-compared"] === true;
const after = textsOf(tablesWith(tablesIn(before), kubernetes, { functions, costsCompared, flags }));
const costs = changedCosts(JSON.parse(after["kubernetes-cel-costs"]), kubernetes);
if (costs.length > 0)
  console.log(
    `tables/kubernetes-cel-costs.json: compare it with ${costs.join(", ")}, then add --costs-compared`,
  );
const changed = Object.entries(after).filter(([name, text]) => text !== before[name]);
for (const [name, text] of changed) {
  console.log(`tables/${name}.json ${values.check ? "would change" : "changed"}`);
  if (!values.check) writeFileSync(join(DATA, `${name}.json`), text);
}
if (changed.length === 0) console.log(`The tables have Kubernetes ${values.release} as its sources have it.`);
if (values.check && changed.length > 0) process.exitCode = 1;
