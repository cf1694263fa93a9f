import { execFileSync } from "node:child_process";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BUNDLES, bundlePem } from "../../src/pki/bundles.js";
import { readCertificate } from "../../src/pki/certificate.js";
import { type Certification, type CertifyRequest, certifyCluster } from "../../src/pki/cluster.js";
import { type CertifiedName, KEY_NAMES, type KeyName, PKI, pkiEntry } from "../../src/pki/graph.js";
import { isTraditional } from "../../src/pki/key-form.js";
import { pemBlocks } from "../../src/pki/pem.js";
import { isRsaKey, publicKeyInfo, publicKeyPem, sshPublicKey } from "../../src/pki/public-key.js";
import { certifyMediaServer, FIRST_SHORT_ROTATION } from "../../src/pki/sign.js";
import { sshKeyType } from "../../src/pki/ssh-public-key.js";
import { clusterKeys } from "../helpers/ignition.js";
import { ellipticKey, rsaKey } from "../helpers/inputs.js";
import { everyNth } from "../helpers/runs.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("the public key infrastructure of a cluster");

const NOW = new Date("2026-11-28T04:00:00Z");
const DAY = 86_400_000;
const VIPS = ["192.0.2.7", "2001:db8::7"];
const NAMES = { domain: "tern.sea.example.org", apiVips: VIPS, serviceNetwork: "172.30.0.0/16" };

const few = [rsaKey(), rsaKey(), rsaKey()];
/** RSA keys; making 26 would take longer than everything else. */
const rsaKeys = (): ReadonlyMap<KeyName, string> =>
  new Map(KEY_NAMES.map((name, index) => [name, few[index % few.length] ?? ""]));

const certify = (more: Partial<CertifyRequest> = {}): Certification =>
  certifyCluster({
    keys: clusterKeys(),
    known: new Map(),
    names: NAMES,
    period: { now: NOW },
    internalReleaseImageKey: iriKey,
    ...more,
  });

const iriKey = ellipticKey();

/** The certificates of a run as a later one finds them in the state. */
const knownOf = ({ pki }: Certification): Map<CertifiedName | "internal-release-image", string> => {
  const known = new Map<CertifiedName | "internal-release-image", string>();
  for (const entry of PKI)
    if (entry.kind !== "plain") known.set(entry.name, pki.certified[entry.name].certificate);
  if (pki.internalReleaseImage !== undefined)
    known.set("internal-release-image", pki.internalReleaseImage.certificate);
  return known;
};

const SIGNER_USE = "Digital Signature, Key Encipherment, Certificate Sign";
const LEAF_USE = "Digital Signature, Key Encipherment";
const CLIENT = "TLS Web Client Authentication";
const SERVER = "TLS Web Server Authentication";
const BOTH = `${SERVER}, ${CLIENT}`;
const API_SERVER = "CN=system:kube-apiserver,O=kube-master";
const API_PROXY = "CN=system:kube-apiserver-proxy,O=kube-master";
const ADMIN = "CN=system:admin,O=system:masters";
const SERVICES = ["kubernetes", "openshift"].flatMap((name) =>
  ["", ".default", ".default.svc", ".default.svc.cluster.local"].map((end) => `DNS:${name}${end}`),
);
const VIP_NAMES = VIPS.map((vip) => `DNS:${vip}`);
const VIP_ADDRESSES = ["IP Address:192.0.2.7", "IP Address:2001:DB8:0:0:0:0:0:7"];
const LOOPBACK = ["IP Address:127.0.0.1", "IP Address:0:0:0:0:0:0:0:1"];

/**
 * docs/reference/ignition-configs.md §1a, §1b, row by row: subject, issuer, usages, names, days, certificates in the
 * file.
 */
const ROWS: readonly (readonly [
  row: number,
  name: CertifiedName | "internal-release-image",
  subject: string,
  signer: CertifiedName,
  keyUsage: string,
  extendedKeyUsage: string,
  names: readonly string[],
  days: number,
  count: number,
])[] = [
  [1, "root-ca", "CN=root-ca,OU=openshift", "root-ca", SIGNER_USE, "", [], 3650, 1],
  ...(
    [
      [2, "admin-kubeconfig-signer", 3650],
      [4, "aggregator-signer", 1],
      [5, "kube-apiserver-to-kubelet-signer", 365],
      [6, "kube-apiserver-localhost-signer", 3650],
      [7, "kube-apiserver-service-network-signer", 3650],
      [8, "kube-apiserver-lb-signer", 3650],
      [9, "kube-control-plane-signer", 365],
      [10, "kubelet-signer", 1],
      [11, "kubelet-bootstrap-kubeconfig-signer", 3650],
    ] as const
  ).map(
    ([row, name, days]) => [row, name, `CN=${name},OU=openshift`, name, SIGNER_USE, "", [], days, 1] as const,
  ),
  [3, "aggregator-ca", "CN=aggregator,OU=bootkube", "aggregator-ca", SIGNER_USE, "", [], 1, 1],
  [
    12,
    "machine-config-server",
    "CN=system:machine-config-server",
    "root-ca",
    "",
    SERVER,
    ["DNS:api-int.tern.sea.example.org", ...VIP_NAMES, ...VIP_ADDRESSES],
    3650,
    1,
  ],
  [
    13,
    "journal-gatewayd",
    "CN=journal-gatewayd,O=OpenShift Bootstrap",
    "root-ca",
    LEAF_USE,
    BOTH,
    [],
    3650,
    1,
  ],
  [14, "admin-kubeconfig-client", ADMIN, "admin-kubeconfig-signer", LEAF_USE, BOTH, [], 3650, 1],
  [15, "apiserver-proxy", API_PROXY, "aggregator-ca", LEAF_USE, CLIENT, [], 1, 1],
  [16, "aggregator-client", API_PROXY, "aggregator-signer", LEAF_USE, CLIENT, [], 1, 1],
  [
    17,
    "kube-apiserver-to-kubelet-client",
    API_SERVER,
    "kube-apiserver-to-kubelet-signer",
    LEAF_USE,
    CLIENT,
    [],
    365,
    1,
  ],
  [
    18,
    "kube-apiserver-localhost-server",
    API_SERVER,
    "kube-apiserver-localhost-signer",
    LEAF_USE,
    SERVER,
    ["DNS:localhost", ...LOOPBACK],
    1,
    2,
  ],
  [
    19,
    "kube-apiserver-service-network-server",
    API_SERVER,
    "kube-apiserver-service-network-signer",
    LEAF_USE,
    SERVER,
    [...SERVICES, "IP Address:172.30.0.1"],
    1,
    2,
  ],
  [
    20,
    "kube-apiserver-lb-server",
    API_SERVER,
    "kube-apiserver-lb-signer",
    LEAF_USE,
    SERVER,
    ["DNS:api.tern.sea.example.org"],
    1,
    2,
  ],
  [
    21,
    "kube-apiserver-internal-lb-server",
    API_SERVER,
    "kube-apiserver-lb-signer",
    LEAF_USE,
    SERVER,
    ["DNS:api-int.tern.sea.example.org"],
    1,
    2,
  ],
  [
    22,
    "kube-control-plane-kube-controller-manager-client",
    ADMIN,
    "kube-control-plane-signer",
    LEAF_USE,
    CLIENT,
    [],
    365,
    1,
  ],
  [
    23,
    "kube-control-plane-kube-scheduler-client",
    ADMIN,
    "kube-control-plane-signer",
    LEAF_USE,
    CLIENT,
    [],
    365,
    1,
  ],
  [
    24,
    "kubelet-client",
    // The form of RFC 2253 turns the order round; in the certificate the shorter value comes first.
    "CN=system:serviceaccount:openshift-machine-config-operator:node-bootstrapper,O=system:serviceaccounts:openshift-machine-config-operator+O=system:serviceaccounts",
    "kubelet-bootstrap-kubeconfig-signer",
    LEAF_USE,
    CLIENT,
    [],
    3650,
    1,
  ],
  [
    26,
    "internal-release-image",
    "CN=system:internal-release-image",
    "root-ca",
    "",
    SERVER,
    ["DNS:localhost", "DNS:api-int.tern.sea.example.org", ...VIP_NAMES, ...VIP_ADDRESSES, ...LOOPBACK],
    3650,
    1,
  ],
];

const pairOf = ({ pki }: Certification, name: CertifiedName | "internal-release-image") => {
  const pair = name === "internal-release-image" ? pki.internalReleaseImage : pki.certified[name];
  if (pair === undefined) throw new Error(`${name} has no certificate`);
  return pair;
};

/** What openssl says of the first certificate of a text; asked once, since a signer is asked of for each that it signed. */
const answers = new Map<string, ReturnType<typeof ask>>();
function described(pem: string) {
  const known = answers.get(pem) ?? ask(pem);
  answers.set(pem, known);
  return known;
}

function ask(pem: string) {
  const output = execFileSync(
    "openssl",
    [
      ...["x509", "-noout", "-subject", "-issuer", "-nameopt", "RFC2253"],
      ...["-ext", "basicConstraints,keyUsage,extendedKeyUsage,subjectAltName"],
    ],
    { input: pem, encoding: "utf8" },
  );
  const after = (title: string): string =>
    new RegExp(`^${title}: ?(?:critical)?\\n *(.*)$`, "m").exec(output)?.[1] ?? "";
  return {
    subject: /^subject=(.*)$/m.exec(output)?.[1] ?? "",
    issuer: /^issuer=(.*)$/m.exec(output)?.[1] ?? "",
    isCA: after("X509v3 Basic Constraints") === "CA:TRUE",
    keyUsage: after("X509v3 Key Usage"),
    extendedKeyUsage: after("X509v3 Extended Key Usage"),
    names: after("X509v3 Subject Alternative Name"),
  };
}

const hasOpenssl = ((): boolean => {
  try {
    execFileSync("openssl", ["version"]);
    return true;
  } catch {
    return false;
  }
})();

if (hasOpenssl)
  for (const [algorithm, keys, usage] of [
    ["RSA", rsaKeys, (text: string) => text],
    ["ECDSA", clusterKeys, (text: string) => text.replace(", Key Encipherment", "")],
  ] as const)
    test(`${algorithm}: every row of the table`, () => {
      const all = certify({ keys: keys(), internalReleaseImageKey: keys().get("root-ca") ?? "" });
      assert.is(ROWS.length, 25);
      for (const [row, name, subject, signer, keyUsage, extendedKeyUsage, names, days, count] of ROWS) {
        const { key, certificate } = pairOf(all, name);
        const isSigner = row <= 11;
        assert.equal(
          described(certificate),
          {
            subject,
            issuer: described(pairOf(all, signer).certificate).subject,
            isCA: isSigner,
            keyUsage: usage(keyUsage),
            extendedKeyUsage,
            names: names.join(", "),
          },
          `row ${row}`,
        );
        const { notBefore, notAfter } = readCertificate(certificate);
        assert.equal(notBefore, NOW, `row ${row}`);
        assert.is((notAfter.getTime() - notBefore.getTime()) / DAY, days, `row ${row}`);
        assert.is(pemBlocks(certificate).length, count, `row ${row}`);
        assert.ok(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)), `row ${row}`);
      }
    });
else skipTest(test, "every row of the table", "needs openssl");

if (hasOpenssl)
  test("openssl accepts every chain strictly, each bundle for what it is there for, and row 25", () => {
    const now = new Date();
    const folder = tempFolder();
    const verify = (anchors: string, certificate: string, purpose: string): string => {
      writeFileSync(join(folder, "ca.pem"), anchors);
      writeFileSync(join(folder, "one.pem"), certificate);
      const options = ["verify", "-x509_strict", "-purpose", purpose, "-CAfile", "ca.pem", "one.pem"];
      return execFileSync("openssl", options, { cwd: folder, encoding: "utf8" });
    };
    for (const keys of everyNth([clusterKeys(), rsaKeys()], 2)) {
      const all = certify({ keys, period: { now } });
      for (const [, name, , signer, , extendedKeyUsage] of ROWS) {
        if (extendedKeyUsage === "") continue;
        const anchor = pairOf(all, signer).certificate;
        for (const purpose of extendedKeyUsage.split(", "))
          assert.is(
            verify(anchor, pairOf(all, name).certificate, purpose === SERVER ? "sslserver" : "sslclient"),
            "one.pem: OK\n",
          );
      }
      // Whom the API server lets in, and whose servers the kubeconfigs trust.
      const { certified } = all.pki;
      const clients = bundlePem("kube-apiserver-complete-client-ca-bundle", certified);
      for (const name of [
        "admin-kubeconfig-client",
        "kube-control-plane-kube-controller-manager-client",
        "kube-control-plane-kube-scheduler-client",
        "kube-apiserver-to-kubelet-client",
        "kubelet-client",
      ] as const)
        assert.is(verify(clients, certified[name].certificate, "sslclient"), "one.pem: OK\n");
      const servers = bundlePem("kube-apiserver-complete-server-ca-bundle", certified);
      for (const name of [
        "kube-apiserver-localhost-server",
        "kube-apiserver-service-network-server",
        "kube-apiserver-lb-server",
        "kube-apiserver-internal-lb-server",
      ] as const)
        assert.is(verify(servers, certified[name].certificate, "sslserver"), "one.pem: OK\n");
    }
    const ironic = certifyMediaServer(ellipticKey(), { now });
    assert.is(verify(ironic.certificate, ironic.certificate, "sslserver"), "one.pem: OK\n");
    assert.equal(described(ironic.certificate), {
      subject: "CN=ironic,OU=openshift",
      issuer: "CN=ironic,OU=openshift",
      isCA: false,
      keyUsage: "Digital Signature",
      extendedKeyUsage: "",
      names: "",
    });
  });
else skipTest(test, "openssl accepts every chain strictly", "needs openssl");

test("bundles hold the certificates of their signers, in order", () => {
  const { certified } = certify().pki;
  const subjects = new Map(
    BUNDLES.map(({ name }) => [
      name,
      pemBlocks(bundlePem(name, certified)).map(
        ({ der }) => /CN=(.*)/.exec(new X509Certificate(der).subject)?.[1],
      ),
    ]),
  );
  assert.is(subjects.size, 12);
  assert.equal(subjects.get("kube-apiserver-complete-client-ca-bundle"), [
    "admin-kubeconfig-signer",
    "kubelet-signer",
    "kube-control-plane-signer",
    "kube-apiserver-to-kubelet-signer",
    "kubelet-bootstrap-kubeconfig-signer",
  ]);
  assert.equal(subjects.get("kube-control-plane-ca-bundle"), [
    "kube-control-plane-signer",
    "kube-apiserver-lb-signer",
    "kube-apiserver-localhost-signer",
    "kube-apiserver-service-network-signer",
  ]);
  assert.equal(subjects.get("kubelet-serving-ca-bundle"), ["kubelet-signer"]);
  for (const { name } of BUNDLES) assert.not.match(bundlePem(name, certified), /\n\n/);
});

test("the same request gives the same bytes; what is known is kept, whatever the time", () => {
  const first = certify();
  assert.equal(certify(), first);
  assert.is(first.renewed.length, 0);
  const later = certify({ known: knownOf(first), period: { now: new Date(NOW.getTime() + 3 * DAY) } });
  assert.equal(later.pki, first.pki);
  assert.equal(later.renewed, []);
});

test("what ends soon is signed again with the same keys, and a signer takes its leaves along", () => {
  const first = certify();
  const now = new Date(NOW.getTime() + DAY / 2);
  const again = certify({
    known: knownOf(first),
    period: { now },
    renewBefore: new Date(now.getTime() + DAY),
  });
  assert.equal([...again.renewed].sort(), [
    "aggregator-ca",
    "aggregator-client",
    "aggregator-signer",
    "apiserver-proxy",
    "kube-apiserver-internal-lb-server",
    "kube-apiserver-lb-server",
    "kube-apiserver-localhost-server",
    "kube-apiserver-service-network-server",
    "kubelet-signer",
  ]);
  for (const entry of PKI) {
    if (entry.kind === "plain") continue;
    const [before, after] = [first.pki.certified[entry.name], again.pki.certified[entry.name]];
    assert.is(after.key, before.key, entry.name);
    if (!again.renewed.includes(entry.name)) assert.is(after.certificate, before.certificate, entry.name);
    else assert.equal(readCertificate(after.certificate).notAfter, new Date(now.getTime() + DAY), entry.name);
  }
  // A leaf begins with its CA, be that new or old.
  const { certified } = again.pki;
  assert.equal(readCertificate(certified["aggregator-client"].certificate).notBefore, now);
  assert.equal(readCertificate(certified["kube-apiserver-lb-server"].certificate).notBefore, NOW);
  const year = certify({
    known: knownOf(first),
    period: { now },
    renewBefore: new Date(now.getTime() + 365 * DAY),
  });
  assert.ok(year.renewed.includes("kube-control-plane-kube-scheduler-client"));
  assert.not(year.renewed.includes("root-ca"));
});

test("a certificate that fits no more is signed again, and nothing else", () => {
  const first = certify();
  const renewedWith = (more: Partial<CertifyRequest>): readonly string[] =>
    [...certify({ known: knownOf(first), ...more }).renewed].sort();
  assert.equal(renewedWith({ names: { ...NAMES, domain: "tern.lake.example.org" } }), [
    "internal-release-image",
    "kube-apiserver-internal-lb-server",
    "kube-apiserver-lb-server",
    "machine-config-server",
  ]);
  assert.equal(renewedWith({ names: { ...NAMES, apiVips: [] } }), [
    "internal-release-image",
    "machine-config-server",
  ]);
  assert.equal(renewedWith({ names: { ...NAMES, serviceNetwork: "172.31.0.0/16" } }), [
    "kube-apiserver-service-network-server",
  ]);
  const other = new Map(clusterKeys()).set("kube-apiserver-lb-signer", ellipticKey());
  assert.equal(renewedWith({ keys: other }), [
    "kube-apiserver-internal-lb-server",
    "kube-apiserver-lb-server",
    "kube-apiserver-lb-signer",
  ]);
  for (const garbage of [
    "",
    "text",
    pairOf(first, "kubelet-signer").certificate,
    first.pki.bootstrapSsh.privateKey,
  ])
    assert.equal(renewedWith({ known: knownOf(first).set("aggregator-client", garbage) }), [
      "aggregator-client",
    ]);
  const bare = pairOf(first, "kube-apiserver-lb-server").certificate.split("\n\n", 1)[0] ?? "";
  assert.equal(renewedWith({ known: knownOf(first).set("kube-apiserver-lb-server", `${bare}\n`) }), [
    "kube-apiserver-lb-server",
  ]);
});

test("a missing key is a bug of the caller, told without a key", () => {
  const keys = new Map(clusterKeys());
  keys.delete("kubelet-signer");
  assert.throws(() => certify({ keys }), "the key kubelet-signer is missing");
});

test("the end of every certificate is told, the soonest first", () => {
  const { expiries } = certify();
  assert.is(expiries.length, 25);
  const times = expiries.map(({ notAfter }) => notAfter.getTime());
  assert.equal(
    times,
    [...times].sort((a, b) => a - b),
  );
  const day = expiries.filter(({ notAfter }) => notAfter.getTime() === NOW.getTime() + DAY);
  assert.equal(day.map(({ name }) => name).sort(), [
    "aggregator-ca",
    "aggregator-client",
    "aggregator-signer",
    "apiserver-proxy",
    "kube-apiserver-internal-lb-server",
    "kube-apiserver-lb-server",
    "kube-apiserver-localhost-server",
    "kube-apiserver-service-network-server",
    "kubelet-signer",
  ]);
});

test("short rotation shortens days and years, in the first release with it even more", () => {
  for (const [short, expected] of [
    [true, [2, 4, 87_600]],
    [FIRST_SHORT_ROTATION, [1, 2, 87_600]],
    [false, [24, 8760, 87_600]],
  ] as const) {
    const { pki } = certify({ period: { now: NOW, short } });
    const hours = (name: CertifiedName): number =>
      (readCertificate(pki.certified[name].certificate).notAfter.getTime() - NOW.getTime()) / 3_600_000;
    assert.equal([hours("kubelet-signer"), hours("kube-control-plane-signer"), hours("root-ca")], expected);
  }
});

test("public halves: the SubjectPublicKeyInfo of openssl, its PEM and the line of authorized_keys", () => {
  for (const key of [few[0] ?? "", ellipticKey()]) {
    const info = createPublicKey(key).export({ type: "spki", format: "der" });
    assert.ok(publicKeyInfo(key).equals(info));
    const pkcs8 = createPrivateKey(key).export({ type: "pkcs8", format: "pem" }).toString();
    assert.ok(publicKeyInfo(pkcs8).equals(info));
    const [block] = pemBlocks(publicKeyPem(key));
    assert.is(block?.label, "RSA PUBLIC KEY");
    assert.ok(block?.der.equals(info));
  }
  const line = sshPublicKey(few[0] ?? "");
  assert.match(line, /^ssh-rsa AAAAB3NzaC1yc2E[A-Za-z0-9+/=]+\n$/);
  assert.is(sshKeyType(line), "ssh-rsa");
  assert.is(sshKeyType(sshPublicKey(ellipticKey())), "ecdsa-sha2-nistp256");
  const blob = Buffer.from(line.trim().split(" ")[1] ?? "", "base64");
  const jwk = createPublicKey(few[0] ?? "").export({ format: "jwk" });
  const modulus = Buffer.from(jwk.n ?? "", "base64url");
  assert.ok(blob.subarray(-modulus.length).equals(modulus));
});

test("an RSA key in the form PKCS#1 or PKCS#8 is told apart from everything else, and the forms from each other", () => {
  const rsa = few[0] ?? "";
  const pkcs8Of = (key: string) => createPrivateKey(key).export({ type: "pkcs8", format: "pem" }).toString();
  for (const [key, traditional] of [
    [rsa, true],
    [pkcs8Of(rsa), false],
  ] as const)
    for (const text of [key, `# a comment\n${key}\n\n`]) {
      assert.ok(isRsaKey(text));
      assert.is(isTraditional(text), traditional);
    }
  for (const other of [
    "",
    "text",
    ellipticKey(),
    pkcs8Of(ellipticKey()),
    rsa.slice(0, 400),
    rsa.replace(/\n[A-Za-z0-9+/]{64}\n/, "\n"),
  ])
    assert.not(isRsaKey(other));
});

test("every key of the graph certifies or has halves", () => {
  const { pki } = certify();
  for (const name of KEY_NAMES)
    if (pkiEntry(name).kind === "plain")
      assert.ok(
        [pki.serviceAccount.privateKey, pki.bootstrapSsh.privateKey].includes(clusterKeys().get(name) ?? ""),
      );
  assert.is(Object.keys(pki.certified).length, 24);
});

test.run();
