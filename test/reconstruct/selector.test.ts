/** Which Secrets are picked, against a second reading of the API's words, written another way. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { base64, filesOf, planOf, secret, selecting, stateSecret } from "../helpers/reconstruct.js";

const test = suite("reconstruct: selectors");

const KEYS = ["a", "b", "example.com/c", "A.b_c-d"];
const VALUES = ["", "1", "x", "X.y_z-1"];
type Labels = Readonly<Record<string, string>>;
interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null;
}
interface Selector {
  readonly matchLabels?: Labels | null;
  readonly matchExpressions?: readonly Expression[] | null;
}

const labels: fc.Arbitrary<Labels> = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), {
  maxKeys: 3,
  noNullPrototype: true,
});
const expression: fc.Arbitrary<Expression> = fc.record(
  {
    key: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...KEYS) },
      fc.constantFrom("", "a b", "/a", "a/b/c", "-a"),
    ),
    operator: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist") },
      fc.constantFrom("in", "Equals", ""),
    ),
    values: fc.oneof(
      { weight: 5, arbitrary: fc.array(fc.constantFrom(...VALUES), { maxLength: 3 }) },
      fc.constantFrom(null, ["no blanks please"]),
    ),
  },
  { requiredKeys: ["key", "operator"] },
);
const selector: fc.Arbitrary<Selector> = fc.record(
  {
    matchLabels: fc.option(labels),
    matchExpressions: fc.option(fc.array(expression, { maxLength: 3 })),
  },
  { requiredKeys: [] },
);

const LABEL_KEY = /^(?:[a-z0-9.-]+\/)?[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?$/;

/** `refused`, or the predicate. */
function oracle({ matchLabels, matchExpressions }: Selector): "refused" | ((own: Labels) => boolean) {
  const tests: ((own: Labels) => boolean)[] = Object.entries(matchLabels ?? {}).map(
    ([key, value]) =>
      (own) =>
        own[key] === value,
  );
  for (const { key, operator, values } of matchExpressions ?? []) {
    const set = new Set(values ?? []);
    if (!LABEL_KEY.test(key) || [...set].some((value) => !LABEL_VALUE.test(value))) return "refused";
    if (operator === "Exists" || operator === "DoesNotExist") {
      if (set.size > 0) return "refused";
      tests.push((own) => key in own === (operator === "Exists"));
    } else if (operator === "In" || operator === "NotIn") {
      if (set.size === 0) return "refused";
      tests.push((own) => {
        const value = own[key];
        return (value !== undefined && set.has(value)) === (operator === "In");
      });
    } else return "refused";
  }
  return (own) => tests.every((each) => each(own));
}

test("exactly the selected Secrets are laid out, and what the API refuses is refused", () => {
  let [refused, some, none] = [0, 0, 0];
  fc.assert(
    fc.property(selector, fc.array(labels, { minLength: 1, maxLength: 8 }), (given, owners) => {
      const secrets = owners.map(
        (own, i): JsonObject =>
          secret(
            `s${i}`,
            { data: { [`${i}.yaml`]: base64(String(i)) } },
            {
              labels: { ...own },
              annotations: { "cluster.openshift.io/manifest-path": `manifests/${i}.yaml` },
            },
          ),
      );
      const own: JsonObject = JSON.parse(JSON.stringify(given));
      const { plan, diagnostics } = planOf(
        [selecting(own), stateSecret(), ...secrets].map((each) => JSON.stringify(each)),
      );
      const expected = oracle(given);
      if (expected === "refused") {
        refused++;
        assert.is(plan, undefined);
        assert.ok(
          diagnostics.every(({ code }) => code === "REC007"),
          JSON.stringify(diagnostics),
        );
        return;
      }
      const picked = owners.flatMap((each, i) =>
        expected(each) ? [[`manifests/${i}.yaml`, String(i)]] : [],
      );
      if (picked.length === 0) {
        none++;
        assert.equal(
          diagnostics.map(({ code }) => code),
          ["REC008"],
        );
        return;
      }
      some++;
      assert.equal(diagnostics, []);
      assert.equal(filesOf(plan), Object.fromEntries(picked));
    }),
    { numRuns: 1500 },
  );
  assert.ok(refused > 100 && some > 100 && none > 100, `${refused} refused, ${some} some, ${none} none`);
});

test.run();
