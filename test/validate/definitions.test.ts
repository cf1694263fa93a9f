/** What releases have otherwise than the definitions of OpenShift's kinds: every row is about a field that there is. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import table from "../../schemas/data/definitions/releases.json" with { type: "json" };
import { DEFAULT_RELEASE, orderOf, type Release, releaseNamed } from "../../src/core/release.js";
import type { SchemaNode } from "../../src/kubernetes/crd-read.js";
import { definitionOf, kubeletSchema } from "../../src/validate/manifests/definitions.js";

const test = suite("definitions of other releases");

/** A release after all that rows are about, so that the definitions are those of the tables. */
const LATEST: Release = { ...releaseNamed(DEFAULT_RELEASE), name: "later", order: orderOf("later") };

async function schemasOf(name: string): Promise<readonly (SchemaNode | undefined)[]> {
  const [kind = "", ...group] = name.split(".");
  if (kind === "KubeletConfiguration") return [await kubeletSchema(LATEST)];
  return ((await definitionOf({ kind, group: group.join(".") }, LATEST))?.versions ?? []).map(
    ({ schema }) => schema,
  );
}

const fieldAt = (schema: SchemaNode | undefined, path: string): SchemaNode | undefined =>
  path.split(".").reduce<SchemaNode | undefined>((node, step) => {
    const below = node?.properties.get(step.replace("[]", ""));
    return step.endsWith("[]") ? below?.items : below;
  }, schema);

for (const { kind, path } of [...table.absent, ...table.members])
  test(`${kind} has ${path}`, async () => {
    const schemas = await schemasOf(kind);
    assert.ok(schemas.some((schema) => fieldAt(schema, path) !== undefined));
  });

for (const { kind: name, version } of table.versions)
  test(`${name} has ${version}`, async () => {
    const [kind = "", ...group] = name.split(".");
    const found = await definitionOf({ kind, group: group.join(".") }, LATEST);
    assert.ok(found?.versions.some((each) => each.name === version));
  });

test.run();
