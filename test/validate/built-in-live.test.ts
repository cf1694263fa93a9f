/** Objects of every built-in kind, most of them with one fault, are taken and refused as a strict API server does. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { FIELD_RELEASES } from "../../src/kubernetes/built-in-fields.js";
import { creationFindings } from "../../src/kubernetes/creation-rules.js";
import { objectFindings } from "../../src/kubernetes/object-rules.js";
import { builtInFindings } from "../../src/validate/manifests/built-in.js";
import table from "../../tables/kubernetes-apis.json" with { type: "json" };
import { everyKind, NAMESPACE } from "../etcd/every-kind.js";
import { dice } from "../helpers/compute.js";
import { kubeTests } from "../helpers/kube-servers.js";
import { runs } from "../helpers/runs.js";

const test = suite("objects of built-in kinds");
const withKube = kubeTests(test, { apiServer: ["--runtime-config=api/all=true"] });

/** What is put in the place of a value. */
const WRONG: readonly Json[] = [null, "", "Zzz", 5, 1.5, true, [], {}, ["x"], [{}], { x: {} }];

type Path = readonly (string | number)[];

/** The places of an object, but for its type and status. */
function placesOf(value: Json, path: Path = []): Path[] {
  const members: [string | number, Json][] = isList(value)
    ? [...value.entries()]
    : isObject(value)
      ? Object.entries(value)
      : [];
  return members
    .filter(
      ([name]) => path.length > 0 || !["apiVersion", "kind", "metadata", "status"].includes(String(name)),
    )
    .flatMap(([name, each]) => [[...path, name], ...placesOf(each, [...path, name])]);
}

/** The object with a place changed; undefined takes it away. */
function changed(value: Json, [first, ...rest]: Path, by: Json | undefined): Json {
  if (first === undefined) return by ?? null;
  if (isList(value))
    return value.flatMap((each, i) =>
      i !== first ? [each] : rest.length === 0 && by === undefined ? [] : [changed(each, rest, by)],
    );
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      name !== first
        ? [[name, each]]
        : rest.length === 0 && by === undefined
          ? []
          : [[name, changed(each, rest, by)]],
    ),
  );
}

/** Where an API server takes objects of a kind. */
function urlOf(object: JsonObject): string | undefined {
  const apiVersion = String(object["apiVersion"]);
  const row = table.resources.find(
    ({ kind, versions }) =>
      kind === object["kind"] && versions.some((each) => each.apiVersion === apiVersion),
  );
  if (row === undefined) return undefined;
  const scope = row.namespaced ? "/namespaces/default" : "";
  return `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}${scope}/${row.resource}?dryRun=All&fieldValidation=Strict`;
}

const inDefault = (object: JsonObject): JsonObject => {
  const metadata = object["metadata"];
  if (!isObject(metadata)) return object;
  const named = metadata["namespace"] === NAMESPACE ? { ...metadata, namespace: "default" } : metadata;
  return { ...object, metadata: named };
};

/** Go reads a list of numbers as bytes, too; nobody writes them so. */
const isBytes = ({ kind }: JsonObject, [first]: Path): boolean =>
  (kind === "Secret" && first === "data") || (kind === "ConfigMap" && first === "binaryData");

/** The fields that an answer of the server names; none where it could not read the object. */
function fieldsIn(body: Json): readonly string[] {
  const details = isObject(body) ? body["details"] : undefined;
  const causes = isObject(details) ? details["causes"] : undefined;
  return isList(causes) ? causes.filter(isObject).map(({ field }) => String(field)) : [];
}

withKube("a server takes and refuses the same objects with one wrong place each", async (kube) => {
  const below = dice(7);
  const objects = everyKind().map(inDefault);
  const counts = { taken: 0, refused: 0, "taken here alone": 0, "another field": 0 };
  const falseAlarms: string[] = [];
  for (let i = 0; i < runs(3000); i++) {
    const base = objects[below(objects.length)] ?? {};
    const url = urlOf(base);
    const places = placesOf(base);
    const place = places[below(places.length)];
    if (url === undefined || place === undefined || isBytes(base, place)) continue;
    const by = below(4) === 0 ? undefined : WRONG[below(WRONG.length)];
    const given = changed(base, place, by);
    if (!isObject(given)) continue;
    const { status, body } = await kube.request("POST", url, given);
    // Versions that this release no longer serves.
    if (status === 404) continue;
    const ours = [
      ...objectFindings(given),
      ...creationFindings(given),
      ...builtInFindings(given, FIELD_RELEASES.last),
    ].filter(({ severity = "error" }) => severity === "error");
    const fields = fieldsIn(body);
    if (status < 300 && ours.length === 0) counts.taken++;
    else if (status < 300) falseAlarms.push(`${base["kind"]} ${place.join(".")}: ${ours[0]?.message}`);
    else if (ours.length === 0) counts["taken here alone"]++;
    else if (fields.length === 0 || ours.some(({ field }) => fields.some((each) => sameField(each, field))))
      counts.refused++;
    else counts["another field"]++;
  }
  assert.equal(falseAlarms, []);
  // What is left are formats of single values, such as addresses and schedules.
  const all = Object.values(counts).reduce((sum, each) => sum + each, 0);
  assert.ok(counts["taken here alone"] < all / 20, JSON.stringify(counts));
  assert.ok(counts["another field"] < all / 10, JSON.stringify(counts));
});

/** A key of a map may stand in brackets or after a dot. */
const sameField = (a: string, b: string): boolean =>
  a.replace(/[[\].]+/g, ".") === b.replace(/[[\].]+/g, ".");

test.run();
