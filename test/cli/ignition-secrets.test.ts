/** Where secrets are after `create ignition-configs`: in the files that are meant for them, each closed to others. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CONFIG, createAt, IMAGE, ok, read, START, STATE, withKeys } from "../helpers/ignition-directory.js";
import { PLANTED } from "../helpers/planted.js";
import { readTree } from "../helpers/temp.js";

const test = suite("ignition-secrets");

/** A text with everything that is encoded in it in base64, as deep as that goes. */
function unfolded(text: string, depth = 4): string[] {
  if (depth === 0) return [text];
  const inside = [...text.matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g)].map(([run]) =>
    Buffer.from(run, "base64").toString("utf8"),
  );
  return [text, ...inside.flatMap((each) => unfolded(each, depth - 1))];
}

test("planted secrets, keys and the password are found in the files meant for them alone, each 0600", () => {
  const dir = withKeys(`${CONFIG}sshKey: ${SSH_KEY}\n`);
  ok(createAt(START, "ignition-configs", dir, ...IMAGE));
  const password = read(dir, "auth/kubeadmin-password");
  const secrets: readonly [what: string, found: (text: string) => boolean][] = [
    ["pull secret", (text) => text.includes(PLANTED.pullSecretAuth)],
    ["proxy password", (text) => text.includes(PLANTED.proxyPassword)],
    ["kubeadmin password", (text) => text.includes(password)],
    ["private key", (text) => text.includes("PRIVATE KEY-----")],
  ];
  const found = new Map<string, string[]>();
  for (const [path, data] of readTree(dir)) {
    const texts = unfolded(data.toString("utf8"));
    const held = secrets.filter(([, isIn]) => texts.some(isIn)).map(([what]) => what);
    if (held.length > 0) found.set(path, held);
  }
  const inputs = ["install-config.yaml"];
  for (const path of found.keys())
    if (!inputs.includes(path)) assert.is(statSync(join(dir, path)).mode & 0o777, 0o600, path);
  assert.equal(Object.fromEntries(found), {
    "install-config.yaml": ["pull secret", "proxy password"],
    [STATE]: ["pull secret", "proxy password", "kubeadmin password", "private key"],
    "auth/kubeadmin-password": ["kubeadmin password"],
    "auth/kubeconfig": ["private key"],
    "bootstrap.ign": ["pull secret", "proxy password", "private key"],
    "manifests/cluster-config.yaml": ["proxy password"],
    "manifests/cluster-proxy-01-config.yaml": ["proxy password"],
    "manifests/machine-config-server-ca-secret.yaml": ["private key"],
    "manifests/machine-config-server-tls-secret.yaml": ["private key"],
    "manifests/openshift-config-secret-pull-secret.yaml": ["pull secret"],
  });
});

test("nothing secret is said, whatever goes wrong", () => {
  const dir = withKeys(CONFIG.replace("lab.example.org", "-bad-"));
  const results = [
    createAt(START, "ignition-configs", dir, ...IMAGE),
    createAt(START, "ignition-configs", dir, ...IMAGE, "--output", "json", "--log-level", "debug"),
  ];
  const good = withKeys();
  results.push(
    createAt(START, "ignition-configs", good, ...IMAGE, "--log-level", "debug"),
    createAt(START + 400_000, "ignition-configs", good, "--renew", "--diff"),
    createAt(START + 400_000, "ignition-configs", good, "--output", "json"),
  );
  // A login in the release image: refused by every phase, kept by none, and not repeated.
  const login = `somebody:${PLANTED.password}@quay.example/a`;
  const before = [...readTree(good)].map(([path, data]) => `${path} ${data.toString("base64")}`);
  for (const phase of ["manifests", "infrastructure-manifests", "ignition-configs"]) {
    const refused = createAt(START, phase, good, "--release-image", login);
    assert.is(refused.code, 1, phase);
    assert.match(refused.stderr, /CAPI006: .*<redacted>@quay\.example\/a/, phase);
    results.push(refused);
  }
  assert.equal(
    [...readTree(good)].map(([path, data]) => `${path} ${data.toString("base64")}`),
    before,
  );
  const password = read(good, "auth/kubeadmin-password");
  for (const { stdout, stderr } of results)
    for (const text of unfolded(stdout + stderr)) {
      for (const secret of [...Object.values(PLANTED), password]) assert.not.ok(text.includes(secret));
      assert.not.match(text, /PRIVATE KEY/);
    }
});

const SSH_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEAx2KnK03eS+pUvYfP2CX/8+zLS8lK//4iv/GOKDdii heron@example.org";

test.run();
