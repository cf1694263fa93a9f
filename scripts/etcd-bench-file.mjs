// A large etcd snapshot for the benchmark, written page after page, so that it needs neither a server nor its size in
// memory: protobuf objects, custom resources as JSON and encrypted secrets, some of them updated, some deleted.
import { createCipheriv, createHash } from "node:crypto";
import { closeSync, openSync, readSync, writeSync } from "node:fs";

const PAGE = 4096;
const KEY = createHash("sha256").update("bench").digest();

export const BENCH_CONFIG = `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aesgcm:
      keys:
      - name: bench
        secret: ${KEY.toString("base64")}
  - identity: {}
`;

const varint = (value) => {
  const bytes = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
};
const field = (number, data) => Buffer.concat([varint(number * 8 + 2), varint(data.length), data]);
const number = (of, value) => Buffer.concat([varint(of * 8), varint(value)]);
const filler = Buffer.alloc(1 << 20);
for (let i = 0; i < filler.length; i += 32) createHash("sha256").update(String(i)).digest().copy(filler, i);
const letters = filler.toString("base64");

const text = (of, value) => field(of, Buffer.from(value));

/** What a server has written down of a manager, as long as asked for. */
const managed = (manager, length) => {
  let members = "";
  for (let i = 0; members.length < length; i++)
    members += `${i === 0 ? "" : ","}"k:{\\"containerPort\\":${8000 + i},\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{},"f:value":{}}`;
  return field(
    17,
    Buffer.concat([
      text(1, manager),
      text(2, "Update"),
      text(3, "v1"),
      field(4, Buffer.concat([number(1, 1_760_000_000), number(2, 0)])),
      text(6, "FieldsV1"),
      field(7, text(1, `{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{${members}}}`)),
    ]),
  );
};

/** A container with so many variables, as it is stored of a Deployment. */
const container = (name, variables) =>
  Buffer.concat([
    text(1, name),
    text(2, "registry.example.com/shop/frontend@sha256:0f3c1d"),
    field(6, Buffer.concat([text(1, "http"), number(2, 0), number(3, 8080), text(4, "TCP"), text(5, "")])),
    ...Array.from({ length: variables }, (_, i) =>
      field(7, Buffer.concat([text(1, `VARIABLE_${i}`), text(2, `value-${i}.example.com`)])),
    ),
    field(
      8,
      Buffer.concat(
        ["cpu", "memory"].map((each, i) =>
          field(1, Buffer.concat([text(1, each), field(2, text(1, i === 0 ? "500m" : "256Mi"))])),
        ),
      ),
    ),
    field(9, Buffer.concat([text(1, "config"), number(2, 1), text(3, "/etc/config"), text(4, "")])),
    text(13, "/dev/termination-log"),
    text(14, "IfNotPresent"),
    number(16, 0),
    number(17, 0),
    number(18, 0),
    text(20, "File"),
  ]);

const podSpec = (size) =>
  Buffer.concat([
    field(1, Buffer.concat([text(1, "config"), field(2, field(19, field(1, text(1, "frontend"))))])),
    field(2, container("frontend", Math.ceil(size / 45))),
    text(3, "Always"),
    number(4, 30),
    text(6, "ClusterFirst"),
    text(8, "default"),
    text(10, "worker-17.example.com"),
    number(11, 0),
    number(12, 0),
    number(13, 0),
    field(14, Buffer.alloc(0)),
    text(19, "default-scheduler"),
  ]);

/** A body with about `size` bytes: a fifth of it managed fields, the rest what the kind has. */
const bodies = {
  ConfigMap: (size, at) => field(2, Buffer.concat([text(1, "data"), text(2, letters.slice(at, at + size))])),
  Secret: (size, at) => field(2, Buffer.concat([text(1, "data"), field(2, filler.subarray(at, at + size))])),
  Pod: (size) => field(2, podSpec(size)),
  ReplicaSet: (size) =>
    field(
      2,
      Buffer.concat([
        number(1, 3),
        field(3, Buffer.concat([field(1, text(1, "")), field(2, podSpec(size))])),
      ]),
    ),
};

function envelope(apiVersion, kind, name, namespace, size, i) {
  const meta = Buffer.concat([
    text(1, name),
    text(2, ""),
    text(3, namespace),
    text(5, "6d1e7a3c-0000-4000-8000-000000000000"),
    field(8, Buffer.concat([number(1, 1_760_000_000), number(2, 0)])),
    field(11, Buffer.concat([text(1, "app"), text(2, "frontend")])),
    managed("kube-controller-manager", size / 5),
  ]);
  const at = (i * 997) % (filler.length - size);
  const raw = Buffer.concat([field(1, meta), bodies[kind](Math.ceil(size * 0.8), at)]);
  const type = Buffer.concat([text(1, apiVersion), text(2, kind)]);
  return Buffer.concat([
    Buffer.from("k8s\0", "latin1"),
    field(1, type),
    field(2, raw),
    Buffer.from([0x1a, 0, 0x22, 0]),
  ]);
}

/** Key and value of object i; every form in its share. */
function object(i, size) {
  const namespace = `namespace-${i % 400}`;
  const name = `object-${i}-of-some-length`;
  if (i % 20 < 4) {
    const from = (i * 991) % (letters.length - size);
    const value = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name, namespace, uid: "6d1e7a3c" },
      spec: { data: letters.slice(from, from + size), list: [1, 2, 3] },
    };
    return [`/registry/example.com/widgets/${namespace}/${name}`, Buffer.from(`${JSON.stringify(value)}\n`)];
  }
  if (i % 20 < 6) {
    const key = `/registry/secrets/${namespace}/${name}`;
    const nonce = createHash("sha256").update(key).digest().subarray(0, 12);
    const cipher = createCipheriv("aes-256-gcm", KEY, nonce).setAAD(Buffer.from(key));
    const sealed = [cipher.update(envelope("v1", "Secret", name, namespace, size, i)), cipher.final()];
    return [
      key,
      Buffer.concat([Buffer.from("k8s:enc:aesgcm:v1:bench:"), nonce, ...sealed, cipher.getAuthTag()]),
    ];
  }
  const kinds = [
    ["v1", "ConfigMap", "configmaps"],
    ["v1", "Pod", "pods"],
    ["apps/v1", "ReplicaSet", "replicasets"],
  ];
  const [apiVersion, kind, path] = kinds[i % 3];
  return [`/registry/${path}/${namespace}/${name}`, envelope(apiVersion, kind, name, namespace, size, i)];
}

/** Writes a snapshot of about `bytes` with so many live keys. */
export function writeBenchFile(file, bytes, liveKeys) {
  const descriptor = openSync(file, "w+");
  let next = 2;
  const write = (id, flags, count, body) => {
    const pages = Math.ceil((16 + body.length) / PAGE);
    const page = Buffer.alloc(pages * PAGE);
    page.writeBigUInt64LE(BigInt(id), 0);
    page.writeUInt16LE(flags, 8);
    page.writeUInt16LE(count, 10);
    page.writeUInt32LE(pages - 1, 12);
    body.copy(page, 16);
    writeSync(descriptor, page, 0, page.length, id * PAGE);
    return pages;
  };
  const leaf = (entries) => {
    const size = entries.reduce((sum, [key, value]) => sum + 16 + key.length + value.length, 0);
    const body = Buffer.alloc(size);
    let at = entries.length * 16;
    entries.forEach(([key, value, flags = 0], i) => {
      body.writeUInt32LE(flags, i * 16);
      body.writeUInt32LE(at - i * 16, i * 16 + 4);
      body.writeUInt32LE(key.length, i * 16 + 8);
      body.writeUInt32LE(value.length, i * 16 + 12);
      at += key.copy(body, at);
      at += value.copy(body, at);
    });
    const id = next;
    next += write(id, 2, entries.length, body);
    return { first: entries[0][0], id };
  };
  const branches = (children) => {
    const level = [];
    for (let from = 0; from < children.length; from += 110) {
      const part = children.slice(from, from + 110);
      const body = Buffer.alloc(part.reduce((sum, { first }) => sum + 16 + first.length, 0));
      let at = part.length * 16;
      part.forEach(({ first, id }, i) => {
        body.writeUInt32LE(at - i * 16, i * 16);
        body.writeUInt32LE(first.length, i * 16 + 4);
        body.writeBigUInt64LE(BigInt(id), i * 16 + 8);
        at += first.copy(body, at);
      });
      const id = next;
      next += write(id, 1, part.length, body);
      level.push({ first: part[0].first, id });
    }
    return level.length === 1 ? level[0].id : branches(level);
  };

  const records = Math.floor(liveKeys * 1.15);
  const size = Math.floor(bytes / records) - 320;
  const leaves = [];
  let entries = [];
  let held = 16;
  for (let i = 0; i < records; i++) {
    const main = i + 2;
    const name = Buffer.alloc(17);
    name.writeBigUInt64BE(BigInt(main), 0);
    name[8] = 0x5f;
    // The first records are older revisions of keys that come again later.
    const [key, value] = object(
      i % liveKeys,
      Math.max(64, Math.floor(size * (0.5 + ((i * 7919) % 1000) / 1000))),
    );
    const record = Buffer.concat([
      field(1, Buffer.from(key)),
      number(2, main),
      number(3, main),
      number(4, 1),
      field(5, value),
    ]);
    if (entries.length >= 2 && held + 33 + record.length > PAGE * 0.9) {
      leaves.push(leaf(entries));
      entries = [];
      held = 16;
    }
    entries.push([name, record]);
    held += 33 + record.length;
  }
  leaves.push(leaf(entries));
  const bucket = (root) => {
    const value = Buffer.alloc(16);
    value.writeBigUInt64LE(BigInt(root), 0);
    return value;
  };
  const keys = branches(leaves);
  const meta = leaf([[Buffer.from("consistent_index"), Buffer.alloc(8)]]);
  const root = leaf([
    [Buffer.from("key"), bucket(keys), 1],
    [Buffer.from("meta"), bucket(meta.id), 1],
  ]);
  for (const which of [0, 1]) {
    const page = Buffer.alloc(PAGE);
    page.writeBigUInt64LE(BigInt(which), 0);
    page.writeUInt16LE(4, 8);
    page.writeUInt32LE(0xed0cdaed, 16);
    page.writeUInt32LE(2, 20);
    page.writeUInt32LE(PAGE, 24);
    page.writeBigUInt64LE(BigInt(root.id), 32);
    page.writeBigUInt64LE(0xffffffffffffffffn, 48);
    page.writeBigUInt64LE(BigInt(next), 56);
    page.writeBigUInt64LE(BigInt(9 - which), 64);
    let hash = 0xcbf29ce484222325n;
    for (const byte of page.subarray(16, 72))
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    page.writeBigUInt64LE(hash, 72);
    writeSync(descriptor, page, 0, PAGE, which * PAGE);
  }
  const sum = createHash("sha256");
  const chunk = Buffer.alloc(1 << 20);
  const end = next * PAGE;
  for (let at = 0; at < end; ) {
    const read = readSync(descriptor, chunk, 0, Math.min(chunk.length, end - at), at);
    sum.update(chunk.subarray(0, read));
    at += read;
  }
  writeSync(descriptor, sum.digest(), 0, 32, end);
  closeSync(descriptor);
}
