/** What machines are given: Secrets of Cluster API, shims and the sizes that platforms take. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../../src/core/diagnostics.js";
import { encode, type OutputFile } from "../../../src/core/files.js";
import { objectFindings } from "../../../src/kubernetes/object-rules.js";
import { secretData } from "../../../src/kubernetes/secrets.js";
import { dataSecretRenderings } from "../../../src/phases/ignition-configs/data-secrets.js";
import {
  readShimSources,
  shimConfig,
  shimFiles,
  sizeProblems,
} from "../../../src/phases/ignition-configs/shims.js";
import { excessOf } from "../../../src/phases/ignition-configs/user-data.js";
import { USER_DATA_LIMITS } from "../../../src/platforms/user-data.js";
import { createRenderer } from "../../../src/text/render.js";
import { clusterPki } from "../../helpers/ignition.js";
import { CONFIG, INFRA_ID } from "../../helpers/infrastructure.js";
import { PLANTED } from "../../helpers/planted.js";
import { skipTest } from "../../helpers/shared.js";
import { tempFolder } from "../../helpers/temp.js";

const test = suite("ignition-configs: what machines are given");

const config = (path: string, size = 10): OutputFile => ({
  path,
  data: new Uint8Array(size).fill(120),
  secret: true,
});
const CONFIGS = [
  config("bootstrap.ign", 300_000),
  config("master.ign", 1700),
  config("worker.ign", 1700),
  config("metadata.json"),
];
const URL_OF = "https://bucket.example.com/bootstrap.ign?X-Signature=abc";

const pki = clusterPki(CONFIG);
const authorities = ["root-ca", "kubelet-signer"] as const;
const pems = authorities.map((name) => pki.certified[name].certificate);

test("a shim has the address, every certificate for itself and the proxy", () => {
  const proxy = {
    httpProxy: `http://user:${PLANTED.proxyPassword}@proxy.example.com:3128`,
    httpsProxy: "http://proxy.example.com:3128",
    noProxy: ".example.com,10.0.0.0/8",
  };
  const shim = shimConfig(`${URL_OF}&b=1`, { additionalTrustBundle: `# both\n${pems.join("")}`, proxy });
  assert.match(shim, /abc\\u0026b=1/);
  assert.equal(JSON.parse(shim), {
    ignition: {
      config: { replace: { source: `${URL_OF}&b=1` } },
      proxy: { ...proxy, noProxy: [".example.com", "10.0.0.0/8"] },
      security: {
        tls: {
          certificateAuthorities: pems.map((pem) => ({
            source: `data:text/plain;charset=utf-8;base64,${Buffer.from(pem).toString("base64")}`,
          })),
        },
      },
      version: "3.2.0",
    },
  });
  assert.equal(JSON.parse(shimConfig(URL_OF, {})), {
    ignition: { config: { replace: { source: URL_OF } }, version: "3.2.0" },
  });
  assert.equal(
    Object.keys(JSON.parse(shimConfig(URL_OF, { proxy: { httpProxy: "http://p" } })).ignition.proxy),
    ["httpProxy"],
  );
});

const validator = spawnSync("ignition-validate", ["--version"]).error === undefined;
const accepted = (): void => {
  const folder = tempFolder();
  for (const source of [
    URL_OF,
    "s3://bucket/key?versionId=1",
    "gs://bucket/key",
    "http://[2001:db8::1]:8080/x",
    "tftp://host/x",
  ]) {
    const path = join(folder, "shim.ign");
    writeFileSync(
      path,
      shimConfig(source, {
        additionalTrustBundle: pems.join(""),
        proxy: { httpsProxy: "https://p:1", noProxy: "*" },
      }),
    );
    const { status, stderr } = spawnSync("ignition-validate", [path], { encoding: "utf8" });
    assert.is(status, 0, `${source}: ${stderr}`);
  }
};
if (validator) test("Ignition's own validator takes shims", accepted);
else skipTest(test, "Ignition's own validator takes shims", "needs ignition-validate");

test("addresses by role", () => {
  const reporter = createReporter();
  const sources = readShimSources(
    [URL_OF, "master=https://h/a=b", "worker=s3://bucket/worker"],
    reporter.report,
  );
  assert.equal(
    [...sources],
    [
      ["bootstrap", URL_OF],
      ["master", "https://h/a=b"],
      ["worker", "s3://bucket/worker"],
    ],
  );
  assert.equal(reporter.diagnostics, []);
});

const REFUSED: readonly [readonly string[], string, string][] = [
  [["infra=https://h/x"], "NotSupported", "error"],
  [["h/x"], "Invalid", "error"],
  [["ftp://h/x"], "Invalid", "error"],
  [["master=file:///x"], "Invalid", "error"],
  [["https:///x"], "Invalid", "error"],
  [["https://h/ä"], "Invalid", "error"],
  [["https://h/a b"], "Invalid", "error"],
  [["https://2001:db8::1/x"], "Invalid", "error"],
  [["master="], "Invalid", "error"],
  [["https://h/x", "bootstrap=https://h/y"], "Duplicate", "error"],
  [["http://h/x"], "Invalid", "warning"],
];
for (const [given, kind, severity] of REFUSED)
  test(`addresses that are not taken: ${given.join(" ")}`, () => {
    const reporter = createReporter();
    readShimSources(given, reporter.report);
    assert.equal(
      reporter.diagnostics.map((each) => [each.code, each.kind, each.severity]),
      [["IGN051", kind, severity]],
    );
  });

test("no address is in a message", () => {
  const reporter = createReporter();
  const secret = "https://h ost/?token=PLANTED-bearer-token";
  readShimSources([secret, `nobody=${secret}`, `master=${secret}`], reporter.report);
  assert.is(reporter.diagnostics.length, 3);
  assert.ok(!JSON.stringify(reporter.diagnostics).includes("PLANTED"));
});

test("shims for configs that are there", () => {
  const reporter = createReporter();
  const sources = new Map([
    ["bootstrap", URL_OF],
    ["arbiter", "https://h/x"],
  ] as const);
  const files = shimFiles(CONFIGS, sources, {}, reporter.report);
  assert.equal(
    files.map(({ path, secret }) => [path, secret]),
    [["bootstrap-shim.ign", true]],
  );
  assert.equal(
    reporter.diagnostics.map(({ code, kind }) => [code, kind]),
    [["IGN051", "NotFound"]],
  );
});

test("limits: the last byte that fits, and the first that does not", () => {
  const table: readonly [string, number][] = [
    ["aws", 16_384],
    ["azure", 65_535],
    ["gcp", 262_144],
    // As base64: 16383 groups of four.
    ["openstack", 49_149],
    ["vsphere", 49_152],
    ["hetzner", 32_768],
  ];
  assert.equal(table.map(([place]) => place).sort(), [...USER_DATA_LIMITS.keys()].sort());
  for (const [place, most] of table) {
    assert.is(excessOf(new Uint8Array(most), place), undefined, place);
    assert.ok(excessOf(new Uint8Array(most + 1), place) !== undefined, place);
    // The encoding by Node's own hand agrees.
    if (place === "openstack" || place === "vsphere")
      assert.is(
        excessOf(new Uint8Array(most + 1), place)?.size,
        Buffer.alloc(most + 1).toString("base64").length,
      );
  }
  for (const place of ["none", "external", "constructor"])
    assert.is(excessOf(new Uint8Array(1 << 20), place), undefined);
});

test("a config that is too large asks for a shim; a shim is judged in its place", () => {
  const severities = (place: string, more: readonly OutputFile[] = []) =>
    sizeProblems([...CONFIGS, ...more], place).map(({ file, severity, code }) => [file, severity, code]);
  assert.equal(severities("aws"), [["bootstrap.ign", "info", "IGN050"]]);
  assert.equal(severities("azure"), [["bootstrap.ign", "warning", "IGN050"]]);
  assert.equal(severities("none"), []);
  assert.equal(severities("azure", [config("bootstrap-shim.ign", 400)]), []);
  assert.equal(severities("hetzner", [config("bootstrap-shim.ign", 40_000)]), [
    ["bootstrap-shim.ign", "error", "IGN050"],
  ]);
});

test("Secrets of Cluster API, with the shim where there is one", async () => {
  const reporter = createReporter();
  const render = await createRenderer(["ignition-configs"], reporter.report);
  const objectsOf = (configs: readonly OutputFile[]) =>
    dataSecretRenderings(configs, INFRA_ID, "clusters", reporter.report).map(
      ({ template, view, path, secret }) => ({
        path,
        secret,
        object: render.object(template, view),
      }),
    );
  const shim = { ...config("bootstrap-shim.ign"), data: encode("{}") };
  const made = objectsOf([...CONFIGS, shim]);
  assert.equal(
    made.map(({ path, secret }) => [path, secret]),
    [
      ["data-secrets/bootstrap.yaml", true],
      ["data-secrets/master.yaml", true],
      ["data-secrets/worker.yaml", true],
    ],
  );
  for (const { object } of made) assert.equal(objectFindings(object), []);
  const [first] = made;
  assert.equal(first?.object["metadata"], {
    name: `${INFRA_ID}-bootstrap`,
    namespace: "clusters",
    labels: { "cluster.x-k8s.io/cluster-name": INFRA_ID, "clusterctl.cluster.x-k8s.io/move": "" },
  });
  assert.is(first?.object["type"], "cluster.x-k8s.io/secret");
  const data = secretData(first?.object ?? {});
  assert.equal(
    [...data].map(([key, value]) => [key, Buffer.from(value).toString()]),
    [
      ["format", "ignition"],
      ["value", "{}"],
    ],
  );
  assert.equal(secretData(made[1]?.object ?? {}).get("value"), Buffer.from(CONFIGS[1]?.data ?? []));
  assert.equal(reporter.diagnostics, []);
});

test("a config that no Secret holds is reported; the last byte that fits is not", () => {
  for (const [size, count] of [
    [1_048_576 - 8, 1],
    [1_048_576 - 7, 0],
  ] as const) {
    const reporter = createReporter();
    const made = dataSecretRenderings([config("bootstrap.ign", size)], INFRA_ID, "x", reporter.report);
    assert.is(made.length, count);
    assert.equal(
      reporter.diagnostics.map(({ code }) => code),
      count === 1 ? [] : ["IGN052"],
    );
  }
});

test.run();
