import { suite } from "uvu";
import * as assert from "uvu/assert";
import { saysSame } from "../../src/directory/contents.js";

const test = suite("when two contents say the same");
const bytes = (text: string): Uint8Array => Buffer.from(text);
const secret = (name: string, text: string, label = "a"): Uint8Array =>
  bytes(
    `apiVersion: v1\nkind: Secret\nmetadata:\n  labels: {l: ${label}}\ndata:\n  ${name}: ${Buffer.from(text).toString("base64")}\n`,
  );

const PATH = "infrastructure-manifests/30_manifest-manifests-x.yaml";
const same = (path: string, a: Uint8Array, b: Uint8Array): boolean => saysSame(path, a, b);

test("a comment or a marker in a wrapped manifest is no difference, a value is", () => {
  assert.ok(same(PATH, secret("x.yaml", "a: 1\nb: [x]\n"), secret("x.yaml", "---\n# why\nb:\n- x\na: 1\n")));
  assert.not(same(PATH, secret("x.yaml", "a: 1\n"), secret("x.yaml", "a: 2\n")));
  assert.not(same(PATH, secret("x.yaml", "a: 1\n"), secret("y.yaml", "a: 1\n")));
  assert.not(same(PATH, secret("x.yaml", "a: 1\n"), secret("x.yaml", "a: 1 # w\n", "b")));
});

test("of any other Secret, and of a text that is not an object, every byte counts", () => {
  const [a, b] = [secret("x.yaml", "a: 1\n"), secret("x.yaml", "a: 1 # why\n")];
  assert.not(same("infrastructure-manifests/20_install-state.yaml", a, b));
  assert.not(same("manifests/30_manifest.yaml", a, b));
  assert.not(same(PATH, secret("x.yaml", "1.0"), secret("x.yaml", "1")));
});

test.run();
