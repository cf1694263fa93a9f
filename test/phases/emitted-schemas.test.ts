import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { emittedCheck } from "../../src/text/render.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { baseConfig, runManifests } from "../helpers/manifests.js";

/** The schemas of what is emitted must notice what does not belong there. */
const test = suite("emitted schemas");

/** Every way to add one member to an object somewhere inside a value. */
function intrusions(value: Json): Json[] {
  if (isList(value))
    return value.flatMap((each, index) => intrusions(each).map((changed) => value.with(index, changed)));
  if (!isObject(value)) return [];
  const inside = Object.entries(value).flatMap(([key, member]) =>
    intrusions(member).map((changed): JsonObject => ({ ...value, [key]: changed })),
  );
  return [{ ...value, unexpected: { member: [] } }, ...inside];
}

test("a manifest with a member that its schema does not know, or without its spec, is refused", async () => {
  const config = {
    ...baseConfig(),
    publish: "Internal",
    fips: true,
    sshKey: "ssh-ed25519 AAAA",
    proxy: { httpProxy: "http://proxy.example.org" },
    imageDigestSources: [{ source: "a.example.org", mirrors: ["b.example.org"] }],
    imageContentSources: [{ source: "a.example.org", mirrors: ["b.example.org"] }],
    platform: { external: { platformName: "x" } },
    capabilities: { baselineCapabilitySet: "None" },
    networking: {
      ...baseConfig().networking,
      ovnKubernetesConfig: { ipv4: { internalJoinSubnet: "100.70.0.0/16" } },
    },
  };
  const { files, text } = await runManifests({ config });
  const check = await emittedCheck(["manifests", "openshift"]);
  const kinds = new Set<string>();
  for (const { path } of files) {
    const object = parseYaml(text(path));
    if (!isObject(object)) throw new Error(path);
    kinds.add(`${String(object["apiVersion"])} ${String(object["kind"])}`);
    assert.is(check(object), undefined, path);
    for (const changed of intrusions(object))
      if (isObject(changed)) assert.ok(check(changed) !== undefined, `${path}: ${JSON.stringify(changed)}`);
    for (const member of ["metadata", "spec"]) {
      const { [member]: lost, ...rest } = object;
      if (lost !== undefined) assert.ok(check(rest) !== undefined, `${path} without ${member}`);
    }
  }
  assert.ok(kinds.size >= 14, [...kinds].join());
});
test.run();
