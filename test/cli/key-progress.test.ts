import { suite } from "uvu";
import * as assert from "uvu/assert";
import { withProgress } from "../../src/cli/key-progress.js";
import { withPlaceholderKeys } from "../../src/pipeline/placeholder-keys.js";
import { quickKeys, seededRandom } from "../helpers/inputs.js";

const test = suite("private keys while one waits");

test("a terminal shows how many of how many, and a clean line at the end", async () => {
  const written: string[] = [];
  const terminal = {
    isTerminal: true,
    colour: false,
    write: assert.unreachable,
    pass: (text: string) => void written.push(text),
  };
  const keys = withProgress(quickKeys(), terminal);
  await Promise.all(["a", "b", "c"].map((name) => keys.generate("rsa-2048", name)));
  assert.ok(written.includes("\rgenerating private keys: 0 of 3"));
  assert.ok(written.includes("\rgenerating private keys: 2 of 3"));
  assert.match(written.at(-1) ?? "", /^\r +\r$/);
});

test("elsewhere nothing is written", () => {
  const source = quickKeys();
  const terminal = {
    isTerminal: false,
    colour: false,
    write: assert.unreachable,
    pass: () => assert.unreachable(),
  };
  assert.is(withProgress(source, terminal), source);
});

test("a run that writes nothing asks for no key, of a seed neither", async () => {
  const asked = quickKeys();
  const inputs = withPlaceholderKeys({
    clock: { now: () => new Date(0) },
    random: seededRandom("x"),
    keys: asked,
  });
  const pem = await inputs.keys.generate("rsa-2048", "root-ca");
  assert.match(pem, /^-----BEGIN EC PRIVATE KEY-----/);
  await inputs.keys.from?.(asked).generate("rsa-2048", "root-ca");
  assert.equal(asked.asked, []);
});

test.run();
