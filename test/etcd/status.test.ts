/** The answers of the server, against its own words as literals, for both families of releases. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type JsonObject } from "../../src/core/json.js";
import { type Failure, getStatus, listStatus, watchEvent } from "../../src/etcd/status.js";

const kubernetes = (minor: number) => ({ major: 1, minor });
const test = suite("etcd status");

const GCM = "cipher: message authentication failed";
const failure = (i: number): Failure => ({
  key: `/registry/secrets/ns/name-${String(i).padStart(3, "0")}`,
  kind: "untransformable",
  error: GCM,
  modRevision: BigInt(i + 100),
  approximate: false,
});
const failures = (count: number): Failure[] => Array.from({ length: count }, (_, i) => failure(i));
const UNDECODABLE: Failure = {
  key: "/registry/priorityclasses/old",
  kind: "undecodable",
  error: 'no kind "PriorityClass" is registered for version "scheduling.k8s.io/v1alpha1" in scheme "s"',
  modRevision: 7n,
  approximate: true,
};

const cause = (i: number): JsonObject => {
  const name = String(i).padStart(3, "0");
  return {
    reason: "UnexpectedServerResponse",
    message: `StorageError: corrupt object, Code: 7, Key: /registry/secrets/ns/name-${name}, ResourceVersion: 0, AdditionalErrorMsg: data from the storage is not transformable revision=0: cipher: message authentication failed`,
    field: `/registry/secrets/ns/name-${name}`,
  };
};
const causes = (count: number): JsonObject[] => Array.from({ length: count }, (_, i) => cause(i));
const TOO_MANY = { reason: "FieldValueTooMany", message: "too many errors, the list is truncated" };

const wholeStatus = (message: string, list: readonly JsonObject[]): JsonObject => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason: "StorageReadError",
  details: { name: "list", kind: "secrets", causes: list },
  code: 500,
});

const SECRETS = { group: "", resource: "secrets" };
const OLD = "failed to read one or more secrets from the storage";
const FIRST = cause(0)["message"];

// Up to 1.36 the hundredth is shown and the hundred and first becomes the note; from 1.37 on the hundredth ends it.
for (const [release, count, message, list] of [
  [36, 1, OLD, causes(1)],
  [36, 99, OLD, causes(99)],
  [36, 100, OLD, causes(100)],
  [36, 101, OLD, [...causes(100), TOO_MANY]],
  [36, 250, OLD, [...causes(100), TOO_MANY]],
  [32, 101, OLD, [...causes(100), TOO_MANY]],
  [37, 1, `${OLD}: ${FIRST}`, causes(1)],
  [37, 99, `${OLD}: ${FIRST} (and 98 more)`, causes(99)],
  [37, 100, `${OLD}: ${FIRST} (and 99 more)`, [...causes(100), TOO_MANY]],
  [37, 101, `${OLD}: ${FIRST} (and 99 more)`, [...causes(100), TOO_MANY]],
  [37, 250, `${OLD}: ${FIRST} (and 99 more)`, [...causes(100), TOO_MANY]],
] as const)
  test(`LIST with ${count} unreadable objects in 1.${release}`, () => {
    assert.equal(listStatus(kubernetes(release), SECRETS, failures(count), true), wholeStatus(message, list));
  });

test("LIST with nothing in its way", () => {
  for (const release of [31, 36, 37])
    for (const gate of [true, false])
      assert.is(listStatus(kubernetes(release), SECRETS, [], gate), undefined);
});

test("the group stands in message and details", () => {
  const status = listStatus(
    kubernetes(36),
    { group: "scheduling.k8s.io", resource: "priorityclasses" },
    [UNDECODABLE],
    true,
  );
  assert.is(
    status?.["message"],
    "failed to read one or more priorityclasses.scheduling.k8s.io from the storage",
  );
  const details = status?.["details"];
  assert.ok(isObject(details));
  if (!isObject(details)) return;
  assert.is(details["group"], "scheduling.k8s.io");
  const [first] = isList(details["causes"]) ? details["causes"] : [];
  assert.is(
    isObject(first) ? first["message"] : "",
    `StorageError: corrupt object, Code: 7, Key: /registry/priorityclasses/old, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=7: ${UNDECODABLE.error}`,
  );
});

test("without the gate, and before the feature, the first bad object answers for the whole LIST", () => {
  const expected = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message:
      'Internal error occurred: unable to transform key "/registry/secrets/ns/name-000": cipher: message authentication failed',
    reason: "InternalError",
    details: {
      causes: [
        {
          message:
            'unable to transform key "/registry/secrets/ns/name-000": cipher: message authentication failed',
        },
      ],
    },
    code: 500,
  };
  assert.equal(listStatus(kubernetes(36), SECRETS, failures(250), false), expected);
  assert.equal(listStatus(kubernetes(31), SECRETS, failures(250), true), expected);
  assert.equal(listStatus(kubernetes(37), SECRETS, [UNDECODABLE], false), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: UNDECODABLE.error,
    code: 500,
  });
});

test("GET of one object", () => {
  assert.is(
    getStatus(kubernetes(36), failure(1), "/registry", true)["message"],
    "Internal error occurred: StorageError: corrupt object, Code: 7, Key: /secrets/ns/name-001, ResourceVersion: 0, AdditionalErrorMsg: data from the storage is not transformable revision=0: cipher: message authentication failed",
  );
  assert.is(
    getStatus(kubernetes(36), failure(1), "/registry", false)["message"],
    `Internal error occurred: ${GCM}`,
  );
  assert.is(getStatus(kubernetes(36), UNDECODABLE, "/registry", false)["message"], UNDECODABLE.error);
  assert.is(getStatus(kubernetes(36), UNDECODABLE, "/registry", false)["reason"], undefined);
});

test("the watch event of an unsafe deletion", () => {
  assert.equal(watchEvent(failure(0), true), {
    type: "ERROR",
    object: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        "saw a DELETED event, but object data is corrupt - data from the storage is not transformable revision=0: cipher: message authentication failed",
      reason: "StorageReadError",
      code: 500,
    },
  });
  // The watch decodes without the wrapper that marks an undecodable object.
  const { object } = watchEvent(UNDECODABLE, true);
  assert.is(isObject(object) ? object["reason"] : "", "InternalError");
});

test.run();
