/** How long the certificates of `create ignition-configs` last, and how they are signed again. */
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PKI } from "../../src/pki/graph.js";
import {
  bootstrapFiles,
  CONFIG,
  changed,
  createAt,
  HOUR,
  ok,
  read,
  START,
  STATE,
  slipwayAt,
  snapshot,
  withIgnition,
  withManifests,
} from "../helpers/ignition-directory.js";

type State = { readonly [member: string]: { readonly [name: string]: unknown } };
const stateOf = (dir: string): State => JSON.parse(read(dir, STATE));

const test = suite("ignition-expiry");
const DAY = 24 * HOUR;

/** What lasts a day, the soonest first and in the order of signing. */
const SHORT = [
  "aggregator-ca",
  "aggregator-signer",
  "kubelet-signer",
  "apiserver-proxy",
  "aggregator-client",
  "kube-apiserver-localhost-server",
  "kube-apiserver-service-network-server",
  "kube-apiserver-lb-server",
  "kube-apiserver-internal-lb-server",
];

const create = (seconds: number, dir: string, ...more: readonly string[]) =>
  createAt(seconds, "ignition-configs", dir, ...more);
const validate = (seconds: number, dir: string, ...more: readonly string[]) =>
  slipwayAt(seconds, "validate", "--dir", dir, ...more);

const tls = (dir: string, ending: ".crt" | ".key"): Map<string, string> =>
  new Map(
    [...bootstrapFiles(dir)].flatMap(([path, { text }]): [string, string][] => {
      const name = /^\/opt\/openshift\/tls\/(.+)\.(?:crt|key)$/.exec(path)?.[1];
      return name !== undefined && path.endsWith(ending) ? [[name, text]] : [];
    }),
  );

const ends = (pem: string): number => Date.parse(new X509Certificate(pem).validTo) / 1000;

/** The rows of PKI whose certificate is on the bootstrap node, with it. */
const certificates = (dir: string): [name: string, pem: string][] => {
  const texts = tls(dir, ".crt");
  return PKI.flatMap(({ name }): [string, string][] => {
    const text = texts.get(name);
    return text === undefined ? [] : [[name, text]];
  });
};

test("--renew signs again what ends within a week, and with it what it signed; keys and the rest stay", () => {
  const dir = withIgnition();
  const before = { files: snapshot(dir), keys: tls(dir, ".key"), certificates: new Map(certificates(dir)) };
  const later = START + 20 * HOUR;
  const { stdout } = ok(create(later, dir, "--renew", "--output", "json"));
  const { renewed, useBefore } = JSON.parse(stdout);
  assert.equal(renewed, SHORT);
  assert.is(Date.parse(useBefore) / 1000, later + DAY);
  assert.equal(
    changed(before.files, snapshot(dir)),
    [STATE, ".slipway/local.json", ".slipway/record.json", "bootstrap.ign"].sort(),
  );
  assert.equal(tls(dir, ".key"), before.keys);
  const after = new Map(certificates(dir));
  for (const [name, pem] of after) {
    const same = pem === before.certificates.get(name);
    assert.is(same, !SHORT.includes(name), name);
    assert.ok(ends(pem) >= later + DAY, name);
  }
  // A leaf that was signed again comes from the signer as it is now, and has the key that it had.
  const leaf = new X509Certificate(after.get("aggregator-client") ?? "");
  const signer = new X509Certificate(after.get("aggregator-signer") ?? "");
  assert.ok(leaf.checkIssued(signer) && leaf.verify(signer.publicKey));
  const old = new X509Certificate(before.certificates.get("aggregator-client") ?? "");
  assert.ok(leaf.publicKey.equals(old.publicKey));
  assert.ok(old.verify(signer.publicKey), "the signer's key is the same");
  assert.is.not(leaf.serialNumber, old.serialNumber);
  // The same moment again gives the same bytes, and a run without the flag changes nothing.
  const signed = snapshot(dir);
  ok(create(later, dir, "--renew"));
  ok(create(later + HOUR, dir));
  assert.equal(changed(signed, snapshot(dir)), []);
  assert.is(slipwayAt(later, "check", "--dir", dir, "--strict").code, 0);
});

test("certificates that have ended are refused, nothing is written, and --renew goes on", () => {
  const dir = withIgnition();
  const before = snapshot(dir);
  for (const seconds of [START + DAY, START + 9 * DAY]) {
    const { code, stderr } = create(seconds, dir);
    assert.is(code, 1);
    assert.match(stderr, /error IGN020: certificates have expired.* --renew /s);
    assert.is(validate(seconds, dir).code, 1);
    assert.match(validate(seconds, dir).stderr, /error IGN020/);
  }
  assert.equal(changed(before, snapshot(dir)), []);
  ok(create(START + 9 * DAY, dir, "--renew"));
  assert.is(validate(START + 9 * DAY, dir).code, 0);
  assert.match(read(dir, ".slipway/record.json"), /"ignition-configs"/);
});

test("what lasts a year is left alone until its last week", () => {
  const dir = withIgnition();
  const year = START + 365 * DAY;
  const renewedAt = (seconds: number): string[] =>
    JSON.parse(ok(create(seconds, dir, "--renew", "--dry-run", "--output", "json")).stdout).renewed;
  assert.equal(renewedAt(year - 8 * DAY), SHORT);
  const last = new Set(renewedAt(year - 6 * DAY));
  for (const name of ["kube-apiserver-to-kubelet-signer", "kube-apiserver-to-kubelet-client"])
    assert.ok(last.has(name), name);
  assert.not.ok(last.has("root-ca") || last.has("admin-kubeconfig-client"));
});

test("--renew of the root CA and of the server's certificate reaches the manifests that hold them", () => {
  const dir = withIgnition();
  const before = { files: snapshot(dir), keys: tls(dir, ".key") };
  // A clock that was ten years behind when the directory was made: everything has ended, the root CA too.
  const late = START + 3651 * DAY;
  assert.is(create(late, dir).code, 1);
  const { stdout } = ok(create(late, dir, "--renew", "--output", "json"));
  const { renewed } = JSON.parse(stdout);
  for (const name of ["root-ca", "machine-config-server", ...SHORT]) assert.ok(renewed.includes(name), name);
  assert.is(new Set(renewed).size, renewed.length);
  const root = tls(dir, ".crt").get("root-ca") ?? "";
  assert.is(ends(root), late + 3650 * DAY);
  assert.equal(tls(dir, ".key"), before.keys);
  const after = changed(before.files, snapshot(dir));
  for (const path of [
    "manifests/kube-system-configmap-root-ca.yaml",
    "manifests/machine-config-server-ca-configmap.yaml",
    "manifests/machine-config-server-ca-secret.yaml",
    "manifests/machine-config-server-tls-secret.yaml",
    "openshift/99_openshift-cluster-api_master-user-data-secret.yaml",
    "master.ign",
  ])
    assert.ok(after.includes(path), path);
  assert.is(validate(late, dir).code, 0, validate(late, dir).stderr);
  assert.is(slipwayAt(late, "check", "--dir", dir, "--strict").code, 0);
  const signed = snapshot(dir);
  ok(create(late, dir, "--renew"));
  assert.equal(changed(signed, snapshot(dir)), []);
});

test("--min-validity refuses what lasts less, in create and in validate; a bad duration is a wrong command line", () => {
  const dir = withIgnition();
  const before = snapshot(dir);
  for (const run of [create, validate]) {
    assert.is(run(START, dir, "--min-validity", "24h").code, 0);
    const refused = run(START, dir, "--min-validity", "1d1h");
    assert.is(refused.code, 1);
    assert.match(refused.stderr, /error IGN020: .*aggregator-ca/);
    assert.is(run(START + 13 * HOUR, dir, "--min-validity", "12h").code, 1);
    for (const text of ["", "12", "h", "0h", "-1h", "1y", "12h30", "1.5h"])
      assert.is(run(START, dir, "--min-validity", text).code, 2, text);
  }
  assert.equal(changed(before, snapshot(dir)), []);
  ok(create(START + 13 * HOUR, dir, "--min-validity", "12h", "--renew"));
  // Fresh certificates that could not last as long are not left behind either.
  const fresh = withManifests();
  const untouched = snapshot(fresh);
  assert.is(create(START, fresh, "--release-image", "a.example/b:c", "--min-validity", "2d").code, 1);
  assert.equal(changed(untouched, snapshot(fresh)), []);
});

test("a warning where half a day or less is left", () => {
  const dir = withIgnition();
  assert.not.match(ok(create(START + 11 * HOUR, dir)).stderr, /IGN020/);
  assert.match(
    ok(create(START + 13 * HOUR, dir)).stderr,
    /warning IGN020: use these files before 2027-01-16T08:00:00Z/,
  );
  assert.match(validate(START + 13 * HOUR, dir).stderr, /warning IGN020/);
});

test("names that change are certified anew, with the same keys and the same signers", () => {
  const dir = withIgnition();
  const before = { keys: tls(dir, ".key"), certificates: new Map(certificates(dir)) };
  writeFileSync(
    join(dir, "install-config.yaml"),
    CONFIG.replace("lab.example.org", "moved.example.org").replace(
      "networking: {",
      "networking: {serviceNetwork: [198.51.100.0/24], ",
    ),
  );
  const { stdout } = ok(create(START + HOUR, dir, "--output", "json"));
  const { renewed } = JSON.parse(stdout);
  assert.equal([...renewed].sort(), [
    "kube-apiserver-internal-lb-server",
    "kube-apiserver-lb-server",
    "kube-apiserver-service-network-server",
    "machine-config-server",
  ]);
  assert.equal(tls(dir, ".key"), before.keys);
  const after = new Map(certificates(dir));
  const names = (name: string): string => new X509Certificate(after.get(name) ?? "").subjectAltName ?? "";
  assert.match(names("kube-apiserver-lb-server"), /DNS:api\.heron\.moved\.example\.org/);
  assert.match(names("machine-config-server"), /DNS:api-int\.heron\.moved\.example\.org/);
  assert.match(names("kube-apiserver-service-network-server"), /IP Address:198\.51\.100\.1/);
  assert.is(after.get("root-ca"), before.certificates.get("root-ca"));
  assert.match(read(dir, "master.ign"), /api-int\.heron\.moved\.example\.org/);
});

test("a certificate of the state that fits no more, or is none, is signed anew", () => {
  const dir = withIgnition();
  const before = new Map(certificates(dir));
  const broken = JSON.stringify({
    ...stateOf(dir),
    "*tls.AggregatorClientCertKey": {
      CertRaw: Buffer.from("-----BEGIN CERTIFICATE-----\nbroken\n").toString("base64"),
    },
  });
  writeFileSync(join(dir, STATE), broken, { mode: 0o600 });
  const { code, stderr } = validate(START, dir);
  assert.is(code, 0, stderr);
  ok(create(START, dir));
  assert.equal(new Map(certificates(dir)), before);
});

test("a damaged key of the state is a diagnostic", () => {
  const dir = withIgnition();
  const before = snapshot(dir);
  const state = stateOf(dir);
  const half = (value: unknown): string => String(value).slice(0, 120);
  const keys = { ...state["slipway.dev/keys"] };
  for (const [name, damage] of Object.entries<object>({
    "kubelet-signer": { "slipway.dev/keys": { ...keys, "kubelet-signer": half(keys["kubelet-signer"]) } },
    "root-ca": {
      "*tls.RootCA": { ...state["*tls.RootCA"], CertRaw: btoa("-----BEGIN CERTIFICATE-----\nx\n") },
    },
    "machine-config-server": { "*tls.MCSCertKey": { ...state["*tls.MCSCertKey"], KeyRaw: btoa("nothing") } },
  })) {
    writeFileSync(join(dir, STATE), JSON.stringify({ ...state, ...damage }));
    const { code, stderr } = create(START, dir);
    assert.is(code, 1, stderr);
    assert.match(stderr, new RegExp(`error DIR011.*${name} is damaged`));
    assert.not.match(stderr, /BEGIN/);
    for (const command of ["check", "validate"])
      assert.is(slipwayAt(START, command, "--dir", dir).code, 1, `${command} ${name}`);
    assert.equal(changed(before, snapshot(dir)), [STATE]);
  }
});

test.run();
