/** Plans are read by people: the first screen says whether to go on, steps count from 1, lists appear once, lines wrap. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { planText, SharedLists } from "../../src/cli/plan-page.js";
import { slipway } from "../helpers/cli.js";
import { runs } from "../helpers/runs.js";

const test = suite("plans as text");

/** The summary: everything before the steps. */
const summaryOf = (text: string): string[] => (text.split("\nSteps:\n")[0] ?? "").trimEnd().split("\n");
const widest = (text: string): number => Math.max(...text.split("\n").map((line) => line.length));

test("any summary fits a screen of 24 lines, and no line is wider than the terminal", () => {
  const words = fc
    .array(fc.constantFrom("step", "of", "kube-apiserver", "cannot", "take", "over"), {
      minLength: 1,
      maxLength: 60,
    })
    .map((each) => each.join(" "));
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(fc.constantFrom("blocked by", "changes", "stays safe"), fc.array(words, { maxLength: 30 })),
        {
          maxLength: 6,
        },
      ),
      fc.integer({ min: 60, max: 200 }),
      (summary, columns) => {
        const text = planText(
          {
            title: "Upgrade",
            verdict: "Nothing blocks this plan.",
            summary,
            steps: [{ does: "go", notes: [] }],
            parts: [],
          },
          { columns },
        );
        assert.ok(summaryOf(text).length <= 23, text);
        assert.ok(widest(text) <= Math.min(columns, 120), text);
      },
    ),
    {
      numRuns: runs(300),
      // The mark of what is left out had no place.
      examples: [
        [[["blocked by", [`step ${"kube-apiserver ".repeat(4)}step cannot cannot step`]]], 60],
        [[["changes", ["over ".repeat(60).trim()]]], 64],
      ],
    },
  );
});

test("a list that several steps share is kept once", () => {
  const lists = new SharedLists();
  assert.is(lists.refer("gates", ["A", "B"]), "[1]");
  assert.is(lists.refer("gates", ["C"]), "[2]");
  assert.is(lists.refer("gates", ["A", "B"]), "[1]");
  assert.equal(lists.rows, [
    ["[1]", "gates (2): A, B"],
    ["[2]", "gates (1): C"],
  ]);
});

const plan = (...words: readonly string[]) =>
  slipway(["compat", "plan", "--table", "kubernetes", "--lifecycle", "kubernetes", ...words]);

test("the first screen of an upgrade says what matters", () => {
  const { code, stdout, stderr } = plan("--from", "1.33", "--to", "1.37");
  assert.is(code, 0);
  assert.is(stderr, "", "one minor at a time keeps to the skew policy");
  const summary = summaryOf(stdout);
  assert.ok(summary.length <= 23);
  const text = summary.join("\n");
  assert.match(text, /^Upgrade from 1\.33 to 1\.37, one minor release at a time: \d+ steps$/m);
  assert.match(text, /^Nothing that was checked blocks this plan\.$/m);
  assert.match(text, /^blocked by +nothing$/m);
  assert.match(text, /^cannot be undone +step \d+: from here 1\.33 cannot take over again$/m);
  assert.match(text, /^changes +gates: \d+ turned on/m);
  assert.match(text, /^stays safe +after steps 1 to \d+: 1\.33 can take over again$/m);
  assert.match(text, /^not checked +gates that you set, without --gates-from or --feature-gates$/m);
  assert.ok(widest(stdout) <= 80);
  assert.ok(stdout.length < 30_000);
});

test("steps count from 1, in the text as in its messages", () => {
  const { stdout, stderr } = plan("--from", "1.33", "--to", "1.37", "--hops", "fewest");
  const steps = [...stdout.matchAll(/^ ?(\d+)\. /gm)].map(([, number]) => Number(number));
  assert.equal(
    steps,
    steps.map((_, i) => i + 1),
  );
  assert.match(stderr, "steps 1 to 2 violate");
});

test("every list appears once, and every reference leads to one", () => {
  const { stdout } = plan("--from", "1.33", "--to", "1.37", "--verbose");
  const [body = "", lists = ""] = stdout.split("\nLists:\n");
  const marks = [...lists.matchAll(/^ {2}(\[\d+\])/gm)].map(([, mark]) => mark);
  assert.equal(new Set(marks).size, marks.length);
  const referred = new Set([...body.matchAll(/\[\d+\]/g)].map(([mark]) => mark));
  assert.equal([...referred].sort(), [...marks].sort());
  assert.match(lists, /locked gates \(\d+\): /);
});

test("a plan that leaves the skew policy warns once; --verbose and JSON have every pair", () => {
  const words = ["--from", "1.33", "--to", "1.37", "--hops", "fewest"];
  const { stderr } = plan(...words);
  assert.is(stderr.split("SKEW005").length - 1, 1);
  assert.match(stderr, /; 5 more \(--verbose\); use --hops minor/);
  assert.is(plan(...words, "--verbose").stderr.split("SKEW005").length - 1, 6);
  const { hops, steps, diagnostics } = JSON.parse(plan(...words, "--output", "json").stdout);
  assert.is(hops, "fewest");
  assert.is(steps.length, 28);
  assert.is(diagnostics.length, 6);
});

test("a blocked plan says so on its first screen, each cause once", () => {
  const { code, stdout } = plan(
    "--from",
    "1.34",
    "--to",
    "1.37",
    "--feature-gates",
    "SidecarContainers=false",
  );
  assert.is(code, 3);
  const summary = summaryOf(stdout).join("\n");
  assert.match(summary, /^Do not start: \d+ of \d+ steps are blocked\.$/m);
  assert.match(
    summary.replace(/\s+/g, " "),
    "blocked by steps 1, 2, 3, 7: SidecarContainers cannot be set to false: locked to true",
  );
  assert.not.match(summary, "not checked");
});

test("without tables the summary says what was not looked at", () => {
  const { stdout } = slipway(["compat", "plan", "--from", "1.36", "--to", "1.37"]);
  assert.match(
    stdout,
    /^not checked +gates, without --table\n +APIs and storage versions, without --lifecycle$/m,
  );
});

test.run();
