/** The API servers of rows 18, 20 and 21 and the kubeconfigs meet in real mutual TLS. */
import { createServer, request, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bundlePem } from "../../../src/pki/bundles.js";
import { type ClusterPki, certifyCluster } from "../../../src/pki/cluster.js";
import { type CertifiedName, KEY_NAMES, type KeyName } from "../../../src/pki/graph.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { clusterKeys, type IgnitionRun, listOf, objectOf, runIgnition } from "../../helpers/ignition.js";
import { ellipticKey, rsaKey } from "../../helpers/inputs.js";
import { baseConfig } from "../../helpers/manifests.js";

const test = suite("kubeconfigs and API servers");

const DOMAIN = "tern.sea.example.org";

const few = [rsaKey(), rsaKey(), rsaKey()];
const KEYS: { readonly [algorithm: string]: () => ReadonlyMap<KeyName, string> } = {
  RSA: () => new Map(KEY_NAMES.map((name, index) => [name, few[index % few.length] ?? ""])),
  ECDSA: clusterKeys,
};

/** Those of another cluster; the key of the session is of no matter here. */
const OTHER_KEYS: ReadonlyMap<KeyName, string> = new Map(KEY_NAMES.map((name) => [name, ellipticKey()]));

const clusterOf = (keys: ReadonlyMap<KeyName, string>): ClusterPki =>
  certifyCluster({
    keys,
    known: new Map(),
    names: { domain: DOMAIN, apiVips: [], serviceNetwork: "172.30.0.0/16" },
    period: { now: new Date() },
  }).pki;

interface Access {
  readonly host: string;
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** What a client makes of a kubeconfig. */
function accessOf(text: string): Access {
  const config = objectOf(parseYaml(text));
  const cluster = objectOf(objectOf(listOf(config["clusters"])[0])["cluster"]);
  const user = objectOf(objectOf(listOf(config["users"])[0])["user"]);
  const data = (value: unknown): Buffer => Buffer.from(String(value), "base64");
  return {
    host: new URL(String(cluster["server"])).hostname,
    ca: data(cluster["certificate-authority-data"]),
    cert: data(user["client-certificate-data"]),
    key: data(user["client-key-data"]),
  };
}

/** An API server with the certificates that the host is asked for; it lets in whom the client bundle vouches for. */
async function serve<T>(
  pki: ClusterPki,
  name: CertifiedName,
  body: (port: number) => Promise<T>,
): Promise<T> {
  const { key, certificate } = pki.certified[name];
  const server: Server = createServer(
    {
      key,
      cert: certificate,
      ca: bundlePem("kube-apiserver-complete-client-ca-bundle", pki.certified),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (incoming, response) => {
      const { socket } = incoming;
      response.end(socket instanceof TLSSocket ? socket.getPeerCertificate().subject.CN : "");
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await body(portOf(server.address()));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === "object" && address !== null ? address.port : 0;

/** Whom the server sees; rejects where either side refuses the other. */
const connect = (
  port: number,
  { host, ca, cert, key }: Partial<Access> & { host: string },
): Promise<string> =>
  new Promise((resolve, reject) => {
    const call = request(
      {
        host: "127.0.0.1",
        port,
        servername: host,
        agent: false,
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
      },
      (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += String(chunk);
        });
        response.on("end", () => resolve(text));
      },
    );
    call.on("error", reject);
    call.end();
  });

async function refused(attempt: Promise<string>): Promise<void> {
  const answer = await attempt.then(
    (text) => text,
    () => undefined,
  );
  assert.is(answer, undefined);
}

const NODE_BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";

/** Which kubeconfig meets which server, and as whom. */
const MEETINGS: readonly (readonly [CertifiedName, (run: IgnitionRun) => string, string])[] = [
  ["kube-apiserver-lb-server", (run) => run.text("auth/kubeconfig"), "system:admin"],
  ["kube-apiserver-internal-lb-server", (run) => onNode(run, "kubeconfig"), "system:admin"],
  ["kube-apiserver-internal-lb-server", (run) => onNode(run, "kubeconfig-kubelet"), NODE_BOOTSTRAPPER],
  ["kube-apiserver-localhost-server", (run) => onNode(run, "kubeconfig-loopback"), "system:admin"],
];

const onNode = ({ nodeFiles }: IgnitionRun, name: string): string =>
  nodeFiles.get(`/opt/openshift/auth/${name}`)?.text ?? "";

for (const [algorithm, keys] of Object.entries(KEYS)) {
  test(`${algorithm}: every kubeconfig reaches its server, and no other`, async () => {
    const pki = clusterOf(keys());
    const run = await runIgnition({ config: baseConfig(), pki });
    for (const [server, kubeconfig, user] of MEETINGS)
      await serve(pki, server, async (port) => {
        const access = accessOf(kubeconfig(run));
        assert.is(await connect(port, access), user);
        await refused(connect(port, { ...access, host: "api.other.example.org" }));
      });
  });

  test(`${algorithm}: neither side takes a stranger`, async () => {
    const pki = clusterOf(keys());
    const strangers = clusterOf(OTHER_KEYS);
    const run = await runIgnition({ config: baseConfig(), pki });
    const access = accessOf(run.text("auth/kubeconfig"));
    await serve(pki, "kube-apiserver-lb-server", async (port) => {
      await refused(connect(port, { host: access.host, ca: access.ca }));
      const { ca: _ca, ...withoutCA } = access;
      await refused(connect(port, withoutCA));
      // Certificates of the nodes' API server and of the aggregator are no clients' of this one.
      for (const { key, certificate } of [
        pki.certified["aggregator-client"],
        pki.certified["apiserver-proxy"],
        strangers.certified["admin-kubeconfig-client"],
      ])
        await refused(connect(port, { ...access, key: Buffer.from(key), cert: Buffer.from(certificate) }));
    });
    await serve(strangers, "kube-apiserver-lb-server", (port) => refused(connect(port, access)));
  });

  test(`${algorithm}: the machine config server is known by the root CA alone`, async () => {
    const pki = clusterOf(keys());
    const { key, certificate } = pki.certified["machine-config-server"];
    const server = createServer({ key, cert: certificate }, (_incoming, response) => response.end("config"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = portOf(server.address());
    const ca = Buffer.from(pki.certified["root-ca"].certificate);
    assert.is(await connect(port, { host: `api-int.${DOMAIN}`, ca }), "config");
    await refused(connect(port, { host: `api.${DOMAIN}`, ca }));
    const signer = Buffer.from(pki.certified["kube-apiserver-lb-signer"].certificate);
    await refused(connect(port, { host: `api-int.${DOMAIN}`, ca: signer }));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}

test.run();
