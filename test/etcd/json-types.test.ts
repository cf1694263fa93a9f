/** JSON of built-in kinds by the types of their members. Every row was compared with the decoder of Kubernetes 1.37.2. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { JsonForm } from "../../src/etcd/decode/json-form.js";
import { wrongType } from "../../src/etcd/decode/json-types.js";
import data from "../../tables/kubernetes-messages.json" with { type: "json" };
import { slipway } from "../helpers/cli.js";
import { cpuMs } from "../helpers/cpu.js";
import { tempFolder } from "../helpers/temp.js";
import { dump } from "./copies.js";

const test = suite("types of JSON in etcd");
const form = new JsonForm(data);
const DEFINITION = "apiextensions.k8s.io/v1 CustomResourceDefinition";
const schema = (text: string): string =>
  `"spec": {"versions": [{"schema": {"openAPIV3Schema": {"properties": {"a": ${text}}}}}]}`;

const TAKEN: readonly (readonly [type: string, members: string])[] = [
  ["v1 ConfigMap", '"data": {"a\\"b\\\\": "}", "c": null}, "x": {"data": [5, "]"]}'],
  ["v1 ConfigMap", '"metadata": {"labels": null, "managedFields": [{"fieldsV1": [1], "time": null}]}'],
  ["v1 ConfigMap", '"DATA": 5'],
  ["v1 Secret", '"data": {"a": "YQ==", "b": "Y\\nQ=\\r=", "c": [0, 255, null], "d": ""}'],
  [
    "v1 Event",
    '"count": -0, "eventTime": "2026-01-02T03:04:05.000001Z", "firstTimestamp": "2024-02-29T3:04:05,5-24:60"',
  ],
  ["v1 Node", '"status": {"capacity": {"cpu": 1.50, "memory": " 1Gi ", "a": null}}'],
  ["apps/v1 StatefulSet", '"spec": {"volumeClaimTemplates": [{"kind": "A", "apiVersion": null}]}'],
  ["apps/v1 ControllerRevision", '"data": true, "revision": -9223372036854775808'],
  ["events.k8s.io/v1beta1 Event", '"series": {"state": 5}'],
  [DEFINITION, schema('{"default": [1], "maximum": 1e3, "items": [{}], "additionalProperties": false}')],
  [DEFINITION, schema('{"items": 5, "dependencies": {"a": ["b"], "c": {}, "d": 5}}')],
  ["v1 NoSuchKind", '"spec": 5'],
];

const REFUSED: readonly (readonly [type: string, members: string, field: string])[] = [
  ["v1 ConfigMap", '"data": 5', "number into Go struct field ConfigMap.data"],
  ["v1 ConfigMap", '"data": {"a": "\\\\", "b": {}}', "object into Go struct field ConfigMap.data"],
  ["v1 ConfigMap", '"d\\u0061ta": 5', "number into Go struct field ConfigMap.data"],
  ["v1 ConfigMap", '"data": 5, "data": {}', "number into Go struct field ConfigMap.data"],
  ["v1 ConfigMap", '"metadata": {"finalizers": [null, {}]}', "ConfigMap.metadata.finalizers"],
  ["v1 Secret", '"data": {"a": "YQ"}', "illegal base64 data"],
  ["v1 Secret", '"data": {"a": [256]}', "of type uint8"],
  ["v1 Event", '"count": 1.0', "of type int32"],
  ["v1 Event", '"count": 2147483648', "of type int32"],
  ["v1 Event", '"eventTime": "2026-01-02T03:04:05Z"', "parsing time"],
  ["v1 Event", '"firstTimestamp": "2026-02-29T00:00:00Z"', "parsing time"],
  ["v1 Event", '"firstTimestamp": "2026-02-28T24:00:00Z"', "parsing time"],
  ["v1 Node", '"status": {"capacity": {"cpu": "\\u0031"}}', "quantities must match"],
  ["v1 Node", '"status": {"capacity": {"cpu": {}}}', "quantities must match"],
  ["v1 Service", '"spec": {"ports": [{"targetPort": false}]}', "Service.spec.ports.targetPort"],
  ["apps/v1 StatefulSet", '"spec": {"volumeClaimTemplates": [{"kind": 5}]}', "volumeClaimTemplates.kind"],
  ["apps/v1 ControllerRevision", '"revision": 9223372036854775808', "of type int64"],
  ["v1 Pod", '"spec": {"volumes": [{"name": "a", "hostPath": []}]}', "Pod.spec.volumes.hostPath"],
  [DEFINITION, schema('{"maximum": 1e400}'), "of type float64"],
  [DEFINITION, schema('{"items": [{"type": 5}]}'), "properties.items.type"],
  [DEFINITION, schema('{"additionalProperties": "no"}'), "boolean or JSON schema expected"],
  [DEFINITION, schema('{"dependencies": {"a": [5]}}'), "properties.dependencies"],
];

const ask = (type: string, members: string): string | undefined => {
  const [apiVersion = "", kind = ""] = type.split(" ");
  return wrongType(
    `{"apiVersion": "${apiVersion}","kind":\n"${kind}" , ${members} } `,
    apiVersion,
    kind,
    form,
  );
};

for (const [type, members] of TAKEN)
  test(`taken: ${type} ${members}`, () => {
    assert.is(ask(type, members), undefined);
  });

for (const [type, members, field] of REFUSED)
  test(`refused: ${type} ${members}`, () => {
    assert.ok(ask(type, members)?.includes(field), ask(type, members));
  });

test("however deep and however long", () => {
  const deep = `${'{"properties": {"a": '.repeat(4900)}5${"}}".repeat(4900)}`;
  assert.is(ask(DEFINITION, schema(deep)), undefined);
  const long = `"data": {"a": "${'\\\\\\"'.repeat(2_000_000)}", "b": "${"a,".repeat(1_000_000)}"}`;
  const took = cpuMs(() => assert.is(ask("v1 ConfigMap", long), undefined));
  assert.ok(took < 3000, `${took} ms of CPU`);
});

test("an audit says that no server reads a member of another type", () => {
  const folder = tempFolder();
  const object = (members: string) =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"d"},${members}}`;
  const values: readonly (readonly [name: string, text: string, server: string])[] = [
    ["a", object('"data":{"a":"5"}'), "ok"],
    ["b", object('"data":5').replace('"name":"a"', '"name":"b"'), "unreadable"],
    ["c", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: d}\ndata: {a: 1}\n", "unreadable"],
    ["d", '{"kind":"ConfigMap","data":5,"metadata":{"name":"d","namespace":"d"}}', "rewritten"],
  ];
  writeFileSync(
    join(folder, "dump.json"),
    dump(values.map(([name, text]) => ({ key: `/registry/configmaps/d/${name}`, value: Buffer.from(text) }))),
  );
  const { stdout } = slipway(["etcd", "audit", "--dump", "dump.json", "--output", "json"], { cwd: folder });
  const objects: { key: string; error?: string; verdict: { server: string } }[] = JSON.parse(stdout).objects;
  const verdict = (name: string): string | undefined =>
    objects.find(({ key }) => key.endsWith(`/${name}`))?.verdict.server;
  for (const [name, , server] of values) assert.is(verdict(name) ?? "ok", server, name);
  assert.match(stdout, /json: cannot unmarshal number into Go struct field ConfigMap\.data of type map/);
});

test.run();
