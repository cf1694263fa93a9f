/** ibmcloud against what the real installer, main in June 2026 on its way to 5.0, wrote and answered. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { judge } from "../../helpers/install-configs.js";
import { answersOf, filesIn, makeCase, objectIn } from "../../helpers/platform-cases.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("ibmcloud: what the real installer wrote");

/** What was answered for the cases. */
const factsOf = (sshKey: string) => ({
  ibmcloud: {
    accountID: "0123456789abcdef0123456789abcdef",
    zones: ["eu-gb-1", "eu-gb-2", "eu-gb-3"],
    dnsZone: {
      id: "0123456789abcdef0123456789abcdef",
      instanceCRN:
        "crn:v1:bluemix:public:internet-svcs:global:a/0123456789abcdef0123456789abcdef:00000000-0000-4000-8000-00000000d000::",
    },
    image: "rhcos-made-up-ibmcloud.x86_64.qcow2",
    sshKeys: [{ id: "r014-00000000-0000-4000-8000-00000000aaaa", publicKey: sshKey }],
  },
});

/**
 * The program that wrote the cases had the cloud's own types replaced by empty ones, in which a constant's value is its
 * name; the values are those of github.com/IBM/vpc-go-sdk, and the definitions of the kinds take no others.
 */
function constants(value: Json): Json {
  if (isList(value)) return value.map(constants);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, constants(member)]));
  if (typeof value !== "string" || !/^[A-Z]\w+Const$/.test(value)) return value;
  if (value.endsWith("RoundRobinConst")) return "round_robin";
  const word = /(TCP|HTTPS|UDP|Icmp|All|Allow|Inbound|Outbound)Const$/.exec(value)?.[1];
  if (word === undefined) throw new Error(`nobody knows ${value}`);
  return word.toLowerCase();
}

/** Subnets are in the order of a map there. */
const inOrder = (value: Json): Json => {
  if (isList(value))
    return value
      .map(inOrder)
      .sort((a, b) => (isObject(a) && isObject(b) && isSubnet(a) ? key(a).localeCompare(key(b)) : 0));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inOrder(member)]))
    : value;
};
const isSubnet = (value: JsonObject): boolean => /-subnet-/.test(key(value));
const key = (value: JsonObject): string => String(value["name"] ?? value["cidrSubnetName"] ?? "");

/** Without the port of Konnectivity, which main opened in July. */
const isLaterRule = (value: Json): boolean => {
  const source = isObject(value) ? value["source"] : undefined;
  const range = isObject(source) ? source["portRange"] : undefined;
  return isObject(range) && range["minimumPort"] === 8091;
};
const withoutLaterRule = (value: Json): Json => {
  if (isList(value)) return value.filter((each) => !isLaterRule(each)).map(withoutLaterRule);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutLaterRule(member)]))
    : value;
};

const specOf = (object: JsonObject | undefined): JsonObject =>
  isObject(object?.["spec"]) ? object["spec"] : {};
const without = (object: JsonObject, member: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));
/** User data is left out of the cases. */
const comparableFile = (path: string, file: Json | undefined): Json | undefined =>
  path.endsWith("-user-data-secret.yaml") && isObject(file) ? without(file, "data") : file;

for (const name of ["ibmcloud-plain", "ibmcloud-zones-encrypted"])
  withShared(test, `data/upstream-4.22/${name}`, name, async (folder) => {
    // Main was built as 4.22 then, with the stream that this made the default.
    const text = `${readFileSync(join(folder, "install-config.yaml"), "utf8")}\nosImageStream: rhel-9\n`;
    const facts = factsOf(/^sshKey: (.*)$/m.exec(text)?.[1] ?? "");
    const made = await makeCase(text, { facts, release: "5.0" });
    assert.equal(made.errors, []);
    assert.equal(
      parseYaml(made.asset?.normalForm ?? ""),
      parseYaml(readFileSync(join(folder, "normal-form.yaml"), "utf8")),
    );
    const theirs = filesIn(folder);
    for (const [path, file] of theirs)
      assert.equal(comparableFile(path, made.files.get(path)), comparableFile(path, file), path);
    const machines = (files: Iterable<string>): string[] =>
      [...files].filter((path) => /_(master-machines|master-control-plane|worker-machineset)-/.test(path));
    assert.equal(machines(made.files.keys()), machines(theirs.keys()));

    assert.equal(
      withoutLaterRule(inOrder(specOf(made.infrastructure.get("40_infrastructure-cluster.yaml")))),
      inOrder(constants(specOf(objectIn(folder, "cluster-api/01_ibmcloud-cluster.yaml")))),
    );
    const templates = [...made.infrastructure]
      .filter(([path]) => path.startsWith("50_"))
      .map(([, object]) => specOf(object)["template"])
      .map((template) => (isObject(template) ? specOf(template) : {}));
    const files = readdirSync(join(folder, "cluster-api/machines")).filter((file) =>
      /^10_inframachine_.*-master-\d/.test(file),
    );
    assert.is(files.length, 3);
    for (const file of files) {
      const machine = without(specOf(objectIn(folder, `cluster-api/machines/${file}`)), "name");
      assert.equal(
        templates.find(({ zone }) => zone === machine["zone"]),
        machine,
        file,
      );
    }
  });

withShared(
  test,
  "data/validation/handed-platforms.jsonl",
  "errors are those of the real validator",
  (path) => {
    const answers = answersOf(path, "ibmcloud");
    assert.is(answers.length, 6);
    for (const { id, config, errors } of answers)
      assert.equal(
        judge(config).errors,
        [...new Set(errors.map(({ type, field }) => `${type} ${field}`))].sort(),
        id,
      );
  },
);

test.run();
