import { suite } from "uvu";
import * as assert from "uvu/assert";
import { commandsIn, withInputs } from "../../src/cli/printed-commands.js";

const test = suite("commands that a text names");

const found = (text: string): string[] =>
  commandsIn(text).map(({ words, start, end }) => `${words.join("|")} <${text.slice(start, end)}>`);

test("a command ends where the sentence goes on", () => {
  assert.equal(found("put it back, or run slipway create manifests anew; slipway check tells."), [
    "create|manifests <slipway create manifests>",
    "check <slipway check>",
  ]);
  assert.equal(found("  slipway create ignition-configs --dir 'my cluster' --release-image PULLSPEC"), [
    "create|ignition-configs|--dir|my cluster|--release-image|PULLSPEC <slipway create ignition-configs --dir 'my cluster' --release-image PULLSPEC>",
  ]);
  assert.equal(found("run slipway check --dir ."), ["check|--dir|. <slipway check --dir .>"]);
  assert.equal(found("slipway create manifests --theirs manifests/a.yaml puts it back"), [
    "create|manifests|--theirs|manifests/a.yaml <slipway create manifests --theirs manifests/a.yaml>",
  ]);
  assert.equal(found("(slipway explain cloud-facts), `slipway transfer resume --plan PLAN`"), [
    "explain|cloud-facts <slipway explain cloud-facts>",
    "transfer|resume|--plan|PLAN <slipway transfer resume --plan PLAN>",
  ]);
  assert.equal(found("slipway knows it; slipway create cluster is out of scope; slipway checks"), []);
});

test("a run's inputs are filled in, where the command takes them and names none", () => {
  const inputs = new Map([
    ["dir", ["my cluster"]],
    ["state", ["a.yaml", "-"]],
  ]);
  assert.is(
    withInputs("slipway create manifests makes it; slipway validate --dir x says so", inputs),
    "slipway create manifests --dir 'my cluster' makes it; slipway validate --dir x says so",
  );
  assert.is(
    withInputs("slipway transfer approve --state DUMP --expires DURATION pins it", inputs),
    "slipway transfer approve --state a.yaml --state - --expires DURATION pins it",
  );
  assert.is(
    withInputs("slipway explain cloud-facts shows it", inputs),
    "slipway explain cloud-facts shows it",
  );
  assert.is(
    withInputs("slipway reconstruct --from FOLDER --dir NEW", inputs),
    "slipway reconstruct --from FOLDER --dir NEW",
  );
  assert.is(withInputs("slipway check", new Map([["dir", ["."]]])), "slipway check");
});

test.run();
