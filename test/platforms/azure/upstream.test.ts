/** Machines, config objects and infrastructure against what the real installer wrote. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isError } from "../../../src/core/diagnostics.js";
import { decode } from "../../../src/core/files.js";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { platform } from "../../../src/platforms/azure/index.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { compile, FACTS, infrastructureOf, inputOf } from "../../helpers/azure.js";
import { runManifests } from "../../helpers/manifests.js";
import { withShared } from "../../helpers/shared.js";
import { comparable } from "../../helpers/upstream.js";

const test = suite("azure: what the real installer wrote");

/** The cloud's answers of the cases: no image in the marketplace. */
const ANSWERS = {
  ...FACTS,
  images: {
    amd64: { url: "https://rhcos.example.net/rhcos-made-up.vhd" },
    arm64: { url: "https://rhcos.example.net/rhcos-made-up.vhd" },
  },
};

/** The cases are of main in June 2026, on its way to 5.0: what it changed until release-5.0 branched. */
const RELEASE = "5.0";
const atRelease = (text: string): string =>
  text.replaceAll("Standard_D8s_v3", "Standard_D8as_v5").replaceAll("Standard_D4s_v3", "Standard_D4as_v5");
const LATER_RULE = {
  action: "Allow",
  description: "",
  destination: "*",
  destinationPorts: "8091",
  direction: "Inbound",
  name: "konnectivity_in",
  priority: 230,
  protocol: "Tcp",
  source: "*",
  sourcePorts: "*",
};

/** The network of an AzureCluster with the rule that came later, in the security group of each subnet. */
function withLaterRule(value: Json | undefined): Json {
  const network = isObject(value) ? value : {};
  const subnets = isList(network["subnets"]) ? network["subnets"] : [];
  return {
    ...network,
    subnets: subnets.filter(isObject).map((subnet) => {
      const group = isObject(subnet["securityGroup"]) ? subnet["securityGroup"] : {};
      const rules = isList(group["securityRules"]) ? group["securityRules"] : [];
      return { ...subnet, securityGroup: { ...group, securityRules: [...rules, LATER_RULE] } };
    }),
  };
}

const read = (path: string): JsonObject => {
  const value = parseYaml(atRelease(readFileSync(path, "utf8")));
  if (!isObject(value)) throw new Error(`${path} is not one object`);
  return value;
};

/** What Go writes of members that are empty. */
const EMPTY = ['{"name":""}', "{}", '{"host":"","port":0}'];

function withoutZeros(value: Json): Json {
  if (isList(value)) return value.map(withoutZeros);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]): [string, Json] => [name, withoutZeros(member)])
      .filter(([, member]) => !EMPTY.includes(JSON.stringify(member))),
  );
}

for (const [name, infraID] of [
  ["azure-plain", "plover-abcde"],
  ["azure-single-node-arm", "whimbrel-abcde"],
] as const)
  withShared(test, `data/upstream-4.22/${name}`, name, async (folder) => {
    // Main was built as 4.22 then, with the stream that this made the default.
    const text = `${readFileSync(join(folder, "install-config.yaml"), "utf8")}\nosImageStream: rhel-9\n`;
    const { asset, errors } = compile(text, RELEASE);
    assert.equal(errors, []);
    assert.equal(
      parseYaml(asset?.normalForm ?? ""),
      parseYaml(readFileSync(join(folder, "normal-form.yaml"), "utf8")),
    );
    const input = inputOf(text, ANSWERS, {
      identity: { infraID, clusterID: "00000000-0000-0000-0000-000000000000" },
      name: RELEASE,
    });

    const run = await runManifests({
      platform,
      release: RELEASE,
      config: input.config,
      normalForm: asset?.normalForm ?? "",
      infraID,
      clusterID: input.identity.clusterID,
      facts: input.facts,
      credentials: input.credentials,
    });
    assert.equal(run.diagnostics.filter(isError), []);
    const ours = new Map(run.files.map(({ path, data }) => [path, comparable(path, decode(data) ?? "")]));
    for (const part of ["manifests", "openshift"])
      for (const file of readdirSync(join(folder, part))) {
        const path = `${part}/${file}`;
        // The cases have no root certificate, so that their pointer configs are empty.
        if (file.endsWith("user-data-secret.yaml")) continue;
        assert.equal(
          ours.get(path),
          comparable(path, atRelease(readFileSync(join(folder, path), "utf8"))),
          path,
        );
      }
    const machines = [...ours.keys()].filter((path) =>
      /machine-api|cluster-api_(master-machines|worker-machineset)/.test(path),
    );
    for (const path of machines)
      assert.ok(readdirSync(join(folder, "openshift")).includes(path.replace("openshift/", "")), path);

    const { objects, diagnostics } = await infrastructureOf(input);
    assert.equal(diagnostics, []);
    const theirs = read(join(folder, "cluster-api/02_azure-cluster.yaml"));
    const spec = isObject(theirs["spec"]) ? theirs["spec"] : {};
    const identityRef = {
      ...(isObject(spec["identityRef"]) ? spec["identityRef"] : {}),
      namespace: "plover-abcde",
    };
    const cluster = objects.get("40_infrastructure-cluster.yaml")?.["spec"];
    assert.equal(
      withoutZeros(cluster ?? null),
      withoutZeros({ ...spec, networkSpec: withLaterRule(spec["networkSpec"]), identityRef }),
    );
    const machine = read(join(folder, `cluster-api/machines/10_inframachine_${infraID}-master-0.yaml`));
    const { failureDomain: _, ...expected } = isObject(machine["spec"]) ? machine["spec"] : {};
    const template = objects.get("50_machine-template.yaml")?.["spec"];
    const inner = isObject(template) && isObject(template["template"]) ? template["template"]["spec"] : null;
    assert.equal(inner, expected);
  });

test.run();
