/** Recorded vectors of the real systems: stored objects, ciphertexts, configurations, a bbolt file. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../src/core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { contentOf, decodeValue } from "../../src/etcd/decode/decode.js";
import {
  ANY_OBJECT,
  BINDING,
  CUSTOM_RESOURCE_DEFINITION,
  type Message,
  NAMESPACE,
  ROLE,
} from "../../src/etcd/decode/messages.js";
import { openGcm, openSeeded } from "../../src/etcd/encryption/ciphers.js";
import { readEncryptionConfig } from "../../src/etcd/encryption/config.js";
import { openCopy } from "../../src/etcd/read/copies.js";
import { withShared } from "../helpers/shared.js";
import { memoryFile } from "./copies.js";

const test = suite("etcd vectors");

const MESSAGES: Readonly<Record<string, Message>> = {
  ClusterRole: ROLE,
  ClusterRoleBinding: BINDING,
  CustomResourceDefinition: CUSTOM_RESOURCE_DEFINITION,
  Namespace: NAMESPACE,
};

const parse = (text: string): JsonObject => {
  const value: Json = JSON.parse(text);
  if (!isObject(value)) throw new Error("not an object");
  return value;
};

/** Every value that `part` has is the one of `whole`. */
function assertPart(part: Json, whole: Json | undefined, path: string): void {
  if (isObject(part)) {
    assert.ok(isObject(whole), `${path} is an object`);
    for (const [name, value] of Object.entries(part))
      if (isObject(whole)) assertPart(value, whole[name], `${path}.${name}`);
  } else if (isList(part)) {
    assert.ok(isList(whole) && whole.length === part.length, `${path} has ${part.length} items`);
    part.forEach((each, i) => {
      if (isList(whole)) assertPart(each, whole[i], `${path}[${i}]`);
    });
    // A text that JSON leaves out is empty in protobuf.
  } else if (part !== "" && part !== false) assert.is(part, whole, path);
}

withShared(
  test,
  "data/etcd/vectors/k8s-api",
  "every stored protobuf object reads as its JSON twin",
  (folder) => {
    const names = readdirSync(folder).filter((each) => each.endsWith(".pb"));
    assert.ok(names.length > 30);
    for (const name of names) {
      const decoded = decodeValue(readFileSync(join(folder, name)), "typed");
      const twin = parse(readFileSync(join(folder, name.replace(/\.pb$/, ".json")), "utf8"));
      assert.ok(decoded.ok, name);
      if (!decoded.ok) return;
      assert.is(decoded.media, "protobuf");
      assert.is(decoded.type.apiVersion, twin["apiVersion"], name);
      assert.is(decoded.type.kind, twin["kind"], name);
      const metadata = contentOf(decoded, ANY_OBJECT)["metadata"];
      assert.ok(
        isObject(metadata) && isList(metadata["finalizers"]) && isList(metadata["ownerReferences"]),
        name,
      );
      assertPart(contentOf(decoded, ANY_OBJECT), twin, name);
      const message = MESSAGES[String(twin["kind"])];
      if (message !== undefined) {
        const content = contentOf(decoded, message);
        assert.ok(Object.keys(content).length > 1, name);
        assertPart(content, twin, name);
      }
      // The same object as JSON.
      const json = decodeValue(Buffer.from(JSON.stringify(twin)), "typed");
      assert.ok(json.ok && json.media === "json" && json.type === decoded.type, name);
    }
  },
);

withShared(
  test,
  "data/etcd/vectors/k8s-api",
  "a stored object that is cut short decodes only where a field of its envelope ends",
  (folder) => {
    const data = readFileSync(join(folder, "HEAD.core.v1.Secret.pb"));
    // The envelope's type ends at byte 18, the object four bytes before the end; between them nothing is whole.
    const whole = [18, ...[4, 2, 0].map((short) => data.length - short)];
    for (let length = 4; length <= data.length; length++) {
      const decoded = decodeValue(data.subarray(0, length), "typed");
      assert.is(decoded.ok, whole.includes(length), `${length} bytes`);
    }
  },
);

withShared(test, "data/etcd/vectors/aes-gcm-known-answers.json", "recorded ciphertexts decrypt", (file) => {
  const list: Json = JSON.parse(readFileSync(file, "utf8"));
  assert.ok(isList(list) && list.length === 2);
  if (!isList(list)) return;
  for (const each of list.filter(isObject)) {
    const hex = (name: string): Buffer => Buffer.from(String(each[name]), "hex");
    const open = each["kind"] === "aesgcm" ? openGcm : openSeeded;
    const aad = Buffer.from(String(each["aad"]));
    const result = open(hex("keyHex"), hex("ciphertextHex"), aad);
    assert.ok(result.ok, String(each["name"]));
    if (result.ok) assert.is(result.data.toString(), each["plaintext"]);
    const moved = open(hex("keyHex"), hex("ciphertextHex"), Buffer.from("panda"));
    assert.equal(moved, { ok: false, errors: ["cipher: message authentication failed"] });
  }
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && /\.(ya?ml|json)$/.test(each.name))
    .map((each) => join(each.parentPath, each.name))
    .sort();
}

withShared(
  test,
  "data/etcd/vectors/encryption-config",
  "configurations are accepted and refused as upstream does",
  (folder) => {
    const read = (file: string): { config: unknown; problems: Problem[] } => {
      const problems: Problem[] = [];
      const config = readEncryptionConfig(readFileSync(file, "utf8"), file, (each) => problems.push(each));
      return { config, problems };
    };
    const valid = filesBelow(join(folder, "valid-configs"));
    const invalid = filesBelow(join(folder, "invalid-configs"));
    assert.ok(valid.length >= 15 && invalid.length >= 6);
    for (const file of valid) {
      const { config, problems } = read(file);
      assert.ok(config !== undefined, `${file}: ${JSON.stringify(problems)}`);
    }
    for (const file of invalid) {
      const { config, problems } = read(file);
      assert.is(config, undefined, file);
      assert.ok(problems.length > 0, file);
      for (const { message, hint } of problems)
        assert.not.match(`${message} ${hint ?? ""}`, /c2VjcmV0|YWJjZGVm/, "no secret in a message");
    }
  },
);

withShared(test, "data/etcd/vectors/bbolt", "a data-dir file with a freelist page", (folder) => {
  const file = memoryFile("auger.db", readFileSync(join(folder, "auger.db")));
  const records = [...openCopy(file, "db", () => {}).live()].map(
    ({ key, createRevision, modRevision, version, lease }) => ({
      key,
      createRevision,
      modRevision,
      version,
      lease,
    }),
  );
  const keys = readFileSync(join(folder, "auger.keys.txt"), "utf8").trim().split("\n");
  assert.equal(records.map(({ key }) => key).sort(), keys.sort());
  for (const item of [0, 1, 2]) {
    const summary = readFileSync(join(folder, `auger.page2item${item}-summary.txt`), "utf8");
    const field = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(summary)?.[1] ?? "";
    const found = records.find(({ key }) => key === field("Key"));
    assert.equal(found, {
      key: field("Key"),
      createRevision: BigInt(field("CreateRevision")),
      modRevision: BigInt(field("ModRevision")),
      version: BigInt(field("Version")),
      lease: BigInt(field("Lease")),
    });
  }
});

test.run();
