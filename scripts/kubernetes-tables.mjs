// The tables of Kubernetes' releases in schemas/data, made from the sources of a release.
//
//   node scripts/kubernetes-tables.mjs --release 1.38 --from FOLDER [--check]
//
// FOLDER is a Go module cache with k8s.io/kubernetes@v1.38.* and its staging modules of the same patch (the newest patch
// there counts), or a checkout of kubernetes/kubernetes. It is only read. The release is added to what the tables have of
// older ones; the newest that they have may be given again. --check writes nothing and fails where a table would change.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { kubernetesRelease } from "./kubernetes/go-source.mjs";
import { tablesIn, tablesWith, textsIn, textsOf } from "./kubernetes/tables.mjs";

const DATA = fileURLToPath(new URL("../schemas/data", import.meta.url));

const { values } = parseArgs({
  options: { release: { type: "string" }, from: { type: "string" }, check: { type: "boolean" } },
});
if (values.release === undefined || values.from === undefined)
  throw new Error("node scripts/kubernetes-tables.mjs --release 1.38 --from FOLDER [--check]");
const before = textsIn(DATA);
const after = textsOf(tablesWith(tablesIn(before), kubernetesRelease(values.from, values.release)));
const changed = Object.entries(after).filter(([name, text]) => text !== before[name]);
for (const [name, text] of changed) {
  console.log(`schemas/data/${name}.json ${values.check ? "would change" : "changed"}`);
  if (!values.check) writeFileSync(join(DATA, `${name}.json`), text);
}
if (changed.length === 0) console.log(`The tables have Kubernetes ${values.release} as its sources have it.`);
if (values.check && changed.length > 0) process.exitCode = 1;
