import { X509Certificate } from "node:crypto";
import bcrypt from "bcryptjs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { textFile } from "../../src/core/files.js";
import { isObject } from "../../src/core/json.js";
import { releaseNamed } from "../../src/core/release.js";
import {
  createInternalReleaseImage,
  wantsInternalReleaseImage,
} from "../../src/phases/internal-release-image.js";
import { pkiEntry } from "../../src/pki/graph.js";
import { certifySigner } from "../../src/pki/sign.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { ellipticKey, seededRandom } from "../helpers/inputs.js";
import { baseConfig, runManifests } from "../helpers/manifests.js";

const test = suite("internal release image");

const PREVIEW = { ...baseConfig(), featureSet: "TechPreviewNoUpgrade" };
const RELEASE = releaseNamed("4.22");
const object = (kind: string, name: string): string => `kind: ${kind}\nmetadata:\n  name: ${name}\n`;

test("it is asked for by the user's object in openshift/ and the gate", () => {
  const file = (path: string, text: string) => [textFile(path, text)];
  const asked = object("InternalReleaseImage", "cluster");
  for (const [config, release, files, wanted] of [
    [PREVIEW, RELEASE, file("openshift/a.yaml", asked), true],
    [PREVIEW, RELEASE, file("openshift/a.yml", asked), true],
    [PREVIEW, releaseNamed("4.21"), file("openshift/a.yml", asked), true],
    [PREVIEW, releaseNamed("4.20"), file("openshift/a.yml", asked), false],
    [baseConfig(), RELEASE, file("openshift/a.yaml", asked), false],
    [PREVIEW, RELEASE, file("openshift/a.json", asked), false],
    [PREVIEW, RELEASE, file("manifests/a.yaml", asked), false],
    [PREVIEW, RELEASE, file("openshift/a.yaml", object("InternalReleaseImage", "other")), false],
    [PREVIEW, RELEASE, file("openshift/a.yaml", object("Secret", "cluster")), false],
    [PREVIEW, RELEASE, file("openshift/a.yaml", "{"), false],
    [PREVIEW, RELEASE, [], false],
  ] as const)
    assert.is(wantsInternalReleaseImage(config, release, files), wanted, JSON.stringify(files));
});

test("its Secrets hold the certificate, the password and the hash", async () => {
  const root = pkiEntry("root-ca");
  if (root.kind !== "signer") throw new Error("the root is not a signer");
  const period = { now: new Date("2026-11-27T00:00:00Z") };
  const rootCA = certifySigner(root, ellipticKey(), period);
  const names = { domain: "tern.sea.example.org", apiVips: [], serviceNetwork: "172.30.0.0/16" };
  const key = ellipticKey();
  const made = await createInternalReleaseImage(key, rootCA, names, period, seededRandom("image"));
  const [user, hash = ""] = made.htpasswd.trimEnd().split(":");
  assert.is(user, "openshift");
  assert.ok(await bcrypt.compare(made.password, hash));
  assert.is(Buffer.from(made.password, "base64").length, 32);
  const certificate = new X509Certificate(made.pair.certificate);
  assert.is(certificate.subject, "CN=system:internal-release-image");
  assert.is(
    certificate.subjectAltName,
    "DNS:localhost, DNS:api-int.tern.sea.example.org, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
  );
  assert.ok(certificate.verify(new X509Certificate(rootCA.certificate).publicKey));

  for (const [release, count] of [
    ["4.20", 0],
    ["4.21", 1],
    ["4.22", 2],
  ] as const) {
    const run = await runManifests({ config: PREVIEW, release, internalReleaseImage: made });
    const files = run.files.filter(({ path }) => path.startsWith("manifests/internal-release-image-"));
    assert.is(files.length, count);
    assert.ok(files.every(({ secret }) => secret));
    if (count < 2) continue;
    const secret = parseYaml(run.text("manifests/internal-release-image-registry-auth-secret.yaml"));
    assert.equal(isObject(secret) ? secret["data"] : undefined, {
      htpasswd: Buffer.from(made.htpasswd).toString("base64"),
      password: Buffer.from(made.password).toString("base64"),
    });
  }
});

test.run();
