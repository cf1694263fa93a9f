import { execFileSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json } from "../../src/core/json.js";
import { readCertificate } from "../../src/pki/certificate.js";
import { readValue, readValues } from "../../src/pki/der.js";
import {
  KEY_NAMES,
  type KeyName,
  type LeafEntry,
  PKI,
  pkiEntry,
  type SignerEntry,
} from "../../src/pki/graph.js";
import { isComplete, type Keys, makeKeys, startKeys } from "../../src/pki/keys.js";
import { pemBlocks } from "../../src/pki/pem.js";
import {
  type CertifiedKey,
  certifyLeaf,
  certifyManifestsPki,
  certifySigner,
  type NameInput,
  subjectAltNames,
} from "../../src/pki/sign.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { ellipticKey, quickKeys, rsaKey } from "../helpers/inputs.js";
import { everyNth } from "../helpers/runs.js";
import { skipTest, withShared } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";
import { readState } from "../helpers/upstream.js";

const test = suite("certificates");

const NAMES: NameInput = { domain: "tern.example.org", apiVips: [], serviceNetwork: "172.30.0.0/16" };
const NOW = new Date("2026-11-27T23:14:15.678Z");

/** All 24 certificates of the graph. */
function certifyAll(keys: Keys, names: NameInput, now: Date): Map<string, CertifiedKey> {
  const done = new Map<string, CertifiedKey>();
  for (const entry of PKI)
    if (entry.kind === "signer") done.set(entry.name, certifySigner(entry, keys[entry.name], { now }));
  for (const entry of PKI) {
    if (entry.kind !== "leaf") continue;
    const signer = done.get(entry.signer);
    if (signer === undefined) throw new Error(`${entry.name} has no signer`);
    done.set(entry.name, certifyLeaf(entry, keys[entry.name], signer, names, { now }));
  }
  return done;
}

const certified = (all: Map<string, CertifiedKey>, name: string): CertifiedKey => {
  const found = all.get(name);
  if (found === undefined) throw new Error(`${name} has no certificate`);
  return found;
};

test("the graph has the 26 keys, each leaf a signer", () => {
  assert.is(KEY_NAMES.length, 26);
  assert.is(new Set(KEY_NAMES).size, 26);
  assert.equal(
    ["signer", "leaf", "plain"].map((kind) => PKI.filter((entry) => entry.kind === kind).length),
    [11, 13, 2],
  );
  const signers = PKI.filter(({ kind }) => kind === "signer").map(({ name }): string => name);
  for (const entry of PKI) if (entry.kind === "leaf") assert.ok(signers.includes(entry.signer), entry.name);
});

test("keys come from the source under every name; tokens and sessions stay RSA", async () => {
  const source = quickKeys();
  const keys = await makeKeys(source, "ecdsa-p256");
  assert.ok(isComplete(keys));
  assert.not(isComplete({ "root-ca": keys["root-ca"] }));
  assert.is(source.asked.filter((algorithm) => algorithm === "rsa-2048").length, 2);
  assert.is(source.asked.length, 26);
});

test("only the keys that are asked for are made", async () => {
  const source = quickKeys();
  const made = startKeys(source, "ecdsa-p256", ["root-ca", "service-account"]);
  assert.equal([...made.keys()], ["root-ca", "service-account"]);
  assert.equal(source.asked, ["ecdsa-p256", "rsa-2048"]);
  assert.match((await made.get("root-ca")) ?? "", /^-----BEGIN EC PRIVATE KEY-----/);
});

test("a root CA that exists is taken byte for byte", async () => {
  const keys = await makeKeys(quickKeys());
  const later = { now: new Date(NOW.getTime() + 86_400_000) };
  const first = certifyManifestsPki(keys, NAMES, { now: NOW });
  const signed = certifyManifestsPki(keys, NAMES, later, first.rootCA);
  assert.is(signed.rootCA, first.rootCA);
  assert.is.not(signed.machineConfigServer.certificate, first.machineConfigServer.certificate);
});

test("every certificate is issued by its signer and belongs to its key, with the same bytes each time", async () => {
  const keys = await makeKeys(quickKeys());
  const all = certifyAll(keys, NAMES, NOW);
  assert.equal([...certifyAll(keys, NAMES, NOW)], [...all]);
  for (const entry of PKI) {
    if (entry.kind === "plain") continue;
    const { key, certificate } = certified(all, entry.name);
    const own = new X509Certificate(certificate);
    const signer = entry.kind === "leaf" ? certified(all, entry.signer).certificate : certificate;
    const issuer = new X509Certificate(signer);
    assert.ok(own.checkIssued(issuer), entry.name);
    assert.ok(own.verify(issuer.publicKey), entry.name);
    assert.ok(own.checkPrivateKey(createPrivateKey(key)), entry.name);
    assert.is(own.ca, entry.kind === "signer", entry.name);
    if (entry.kind === "leaf" && entry.chain) assert.is(certificate, `${own.toString()}\n${signer}`);
    else assert.is(certificate, own.toString());
    assert.ok(BigInt(`0x${own.serialNumber}`) > 0n && BigInt(`0x${own.serialNumber}`) < 2n ** 63n);
  }
});

test("a leaf begins with its CA, and a certificate lasts as long as its row says", async () => {
  const keys = await makeKeys(quickKeys());
  const root = certifySigner(signerOf("root-ca"), keys["root-ca"], { now: NOW });
  const later = new Date(NOW.getTime() + 40 * 86_400_000);
  const names = { ...NAMES, apiVips: ["192.0.2.7", "2001:db8::7"] };
  const leaf = certifyLeaf(leafOf("machine-config-server"), keys["machine-config-server"], root, names, {
    now: later,
  });
  assert.equal(readCertificate(leaf.certificate), {
    subjectCommonName: "system:machine-config-server",
    issuerCommonName: "root-ca",
    notBefore: new Date("2026-11-27T23:14:15Z"),
    notAfter: new Date(Math.floor(later.getTime() / 1000) * 1000 + 3650 * 86_400_000),
    dnsNames: ["api-int.tern.example.org", "192.0.2.7", "2001:db8::7"],
    ipAddresses: ["192.0.2.7", "2001:db8::7"],
  });
  for (const [name, short, hours] of [
    ["kubelet-signer", false, 24],
    ["kubelet-signer", true, 2],
    ["kube-control-plane-signer", false, 8760],
    ["kube-control-plane-signer", true, 4],
    ["root-ca", true, 87600],
  ] as const) {
    const { certificate } = certifySigner(signerOf(name), keys[name], { now: NOW, short });
    const { notBefore, notAfter } = readCertificate(certificate);
    assert.is((notAfter.getTime() - notBefore.getTime()) / 3_600_000, hours, `${name} ${short}`);
  }
});

test("another key, subject or time is another serial", () => {
  const [key, other] = [ellipticKey(), ellipticKey()];
  const serial = (name: KeyName, pem: string, now: Date): string =>
    new X509Certificate(certifySigner(signerOf(name), pem, { now }).certificate).serialNumber;
  const first = serial("root-ca", key, NOW);
  assert.is(serial("root-ca", key, NOW), first);
  assert.is.not(serial("root-ca", other, NOW), first);
  assert.is.not(serial("kubelet-signer", key, NOW), first);
  assert.is.not(serial("root-ca", key, new Date(NOW.getTime() + 1000)), first);
});

test("the first host of a service network is found in both families", () => {
  for (const [serviceNetwork, first] of [
    ["172.30.0.0/16", "172.30.0.1"],
    ["10.0.255.255/24", "10.0.255.1"],
    ["10.0.0.254/31", "10.0.0.255"],
    ["fd02::/112", "fd02::1"],
    ["fd02::ffff:0/112", "fd02::ffff:1"],
  ] as const)
    assert.equal(subjectAltNames("service-network", { ...NAMES, serviceNetwork }).ipAddresses, [first]);
});

if (opensslIsThere())
  for (const [algorithm, makeKey] of everyNth(
    [
      ["RSA", rsaKey],
      ["ECDSA", ellipticKey],
    ] as const,
    2,
  ))
    test(`openssl accepts every ${algorithm} chain, strictly`, async () => {
      const few = Array.from({ length: 3 }, makeKey);
      let turn = 0;
      const keys = await makeKeys({ generate: async () => few[turn++ % few.length] ?? "" });
      const all = certifyAll(keys, { ...NAMES, apiVips: ["192.0.2.7", "2001:db8::7"] }, new Date());
      const folder = tempFolder();
      for (const [name, { certificate }] of all) writeFileSync(join(folder, `${name}.crt`), certificate);
      for (const entry of PKI) {
        if (entry.kind === "plain") continue;
        const anchor = entry.kind === "leaf" ? entry.signer : entry.name;
        const purpose =
          entry.kind === "leaf" && entry.extendedKeyUsage.includes("server") ? "sslserver" : "sslclient";
        const options = entry.kind === "leaf" ? ["-purpose", purpose] : [];
        const output = execFileSync(
          "openssl",
          ["verify", "-x509_strict", ...options, "-CAfile", `${anchor}.crt`, `${entry.name}.crt`],
          { cwd: folder, encoding: "utf8" },
        );
        assert.is(output, `${entry.name}.crt: OK\n`);
      }
    });
else skipTest(test, "openssl accepts every chain, strictly", "needs openssl");

const CASES = [
  "external-proxy-mirrors",
  "none-compact",
  "none-dual-stack",
  "none-single-node",
  "none-workers-ecdsa",
];

/** The members of the signed part of a certificate; the serial, which chance decides, left out. */
function signedPart(pem: string): string[] {
  const [block] = pemBlocks(pem);
  const [body] = readValues(readValue(block?.der ?? Buffer.alloc(0)).content);
  return readValues(body?.content ?? Buffer.alloc(0))
    .filter((_, index) => index !== 1)
    .map(({ raw }) => raw.toString("hex"));
}

for (const name of CASES)
  withShared(test, `data/upstream-4.22/${name}`, `${name}: same certificates as upstream's`, (folder) => {
    const state = readState(folder);
    const config = parseYaml(readFileSync(join(folder, "normal-form.yaml"), "utf8"));
    const domain = domainOf(config);
    const now = readCertificate(state.rootCA.certificate).notBefore;
    const made = certifyManifestsPki(
      { "root-ca": state.rootCA.key, "machine-config-server": state.machineConfigServer.key },
      { ...NAMES, domain },
      { now },
    );
    assert.equal(signedPart(made.rootCA.certificate), signedPart(state.rootCA.certificate));
    const theirs = readCertificate(state.machineConfigServer.certificate);
    const signedAt = new Date(theirs.notAfter.getTime() - 3650 * 86_400_000);
    const server = certifyLeaf(
      leafOf("machine-config-server"),
      state.machineConfigServer.key,
      state.rootCA,
      { ...NAMES, domain },
      { now: signedAt },
    );
    assert.equal(signedPart(server.certificate), signedPart(state.machineConfigServer.certificate));
  });

if (opensslIsThere())
  for (const name of everyNth(CASES, CASES.length))
    withShared(
      test,
      `data/upstream-4.22/${name}/ignition/bootstrap-tls.tsv`,
      `${name}: the certificates of the bootstrap machine are as upstream's`,
      async (table) => {
        const config = parseYaml(readFileSync(join(table, "../../normal-form.yaml"), "utf8"));
        const networking = isObject(config) ? config["networking"] : undefined;
        const networks = isObject(networking) ? networking["serviceNetwork"] : undefined;
        const serviceNetwork = Array.isArray(networks) ? String(networks[0]) : "";
        const rsa = rsaKey();
        const keys = await makeKeys({ generate: async () => rsa });
        const all = certifyAll(keys, { domain: domainOf(config), apiVips: [], serviceNetwork }, NOW);
        const [head = "", ...rows] = readFileSync(table, "utf8").trimEnd().split("\n");
        const columns = head.split("\t");
        let compared = 0;
        for (const row of rows) {
          const cells = new Map(row.split("\t").map((cell, index) => [columns[index] ?? "", cell]));
          const made = all.get((cells.get("file") ?? "").replace(/\.crt$/, ""));
          if (made === undefined) continue;
          compared++;
          assert.equal(
            described(made.certificate),
            new Map([...cells].filter(([column]) => column !== "file")),
          );
        }
        assert.ok(compared >= 20, `${compared} rows compared`);
      },
    );
else skipTest(test, "the certificates of the bootstrap machine are as upstream's", "needs openssl");

/** A certificate in the columns of the table, as openssl reads it. */
function described(pem: string): Map<string, string> {
  const options = ["-noout", "-subject", "-issuer", "-nameopt", "RFC2253"];
  const extensions = ["-ext", "basicConstraints,keyUsage,extendedKeyUsage,subjectAltName"];
  const output = execFileSync("openssl", ["x509", ...options, ...extensions], {
    input: pem,
    encoding: "utf8",
  });
  const after = (title: string): string =>
    new RegExp(`^${title}: ?(?:critical)?\\n *(.*)$`, "m").exec(output)?.[1] ?? "";
  const { notBefore, notAfter } = readCertificate(pem);
  return new Map([
    ["subject", /^subject=(.*)$/m.exec(output)?.[1] ?? ""],
    ["issuer", /^issuer=(.*)$/m.exec(output)?.[1] ?? ""],
    ["isCA", after("X509v3 Basic Constraints") === "CA:TRUE" ? "yes" : "no"],
    ["keyUsage", after("X509v3 Key Usage")],
    ["extKeyUsage", after("X509v3 Extended Key Usage")],
    ["SAN", after("X509v3 Subject Alternative Name")],
    ["days", ((notAfter.getTime() - notBefore.getTime()) / 86_400_000).toFixed(3)],
    ["certs", String(pemBlocks(pem).length)],
  ]);
}

function opensslIsThere(): boolean {
  try {
    execFileSync("openssl", ["version"]);
    return true;
  } catch {
    return false;
  }
}

function signerOf(name: KeyName): SignerEntry {
  const entry = pkiEntry(name);
  if (entry.kind !== "signer") throw new Error(`${name} is not a signer`);
  return entry;
}

function leafOf(name: KeyName): LeafEntry {
  const entry = pkiEntry(name);
  if (entry.kind !== "leaf") throw new Error(`${name} is not a leaf`);
  return entry;
}

function domainOf(config: Json): string {
  const metadata = isObject(config) ? config["metadata"] : undefined;
  if (!isObject(config) || !isObject(metadata)) throw new Error("not a config");
  return `${String(metadata["name"])}.${String(config["baseDomain"]).replace(/\.$/, "")}`;
}

test.run();
