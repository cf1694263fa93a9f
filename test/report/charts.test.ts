import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { shortened } from "../../src/report/figure.js";
import { lineChart } from "../../src/report/line-chart.js";
import { element, escapeText, Markup } from "../../src/report/markup.js";
import { linear, logarithmic, ticks } from "../../src/report/scale.js";
import { timeline } from "../../src/report/timeline.js";

const test = suite("charts");

test("text is escaped once, in content and in values", () => {
  assert.is(
    element("p", { title: `a"b'c<d>&` }, "<b> & 'c'", new Markup("<br />")).text,
    '<p title="a&quot;b&#39;c&lt;d&gt;&amp;">&lt;b&gt; &amp; &#39;c&#39;<br /></p>',
  );
  assert.is(escapeText("a\r\nb\rc\td"), "a\nb\nc\td");
  assert.is(escapeText("\u0007\u202e\ud800x\ud83d\ude00"), "\ufffd\ufffd\ufffdx\ud83d\ude00");
});

test("attributes that are not there leave no trace", () => {
  assert.is(element("td", { class: undefined, hidden: false, colspan: 2 }).text, '<td colspan="2"></td>');
  assert.is(element("meta", { charset: "utf-8" }).text, '<meta charset="utf-8" />');
});

test("a straight scale keeps ends and middle", () => {
  const scale = linear(0, 10, 100, 0);
  assert.equal([0, 5, 10].map(scale), [100, 50, 0]);
  assert.is(linear(3, 3, 0, 10)(3), 5);
});

test("a logarithmic scale gives equal factors equal lengths", () => {
  const scale = logarithmic(1, 10_000, 0, 400);
  assert.equal(
    [1, 10, 100, 10_000].map((each) => Math.round(scale(each))),
    [0, 100, 200, 400],
  );
  assert.is(scale(0), 0);
});

test("ticks are round, whole, start at 0 and reach what is largest", () => {
  assert.equal(ticks(0, 5), [0, 1]);
  assert.equal(ticks(1, 5), [0, 1]);
  assert.equal(ticks(7, 5), [0, 2, 4, 6, 8]);
  assert.equal(ticks(226, 5), [0, 50, 100, 150, 200, 250]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 9 }), (largest) => {
      const all = ticks(largest, 5);
      assert.is(all[0], 0);
      assert.ok((all.at(-1) ?? 0) >= largest && (all.at(-2) ?? 0) < Math.max(largest, 1));
      assert.ok(all.length >= 2 && all.length <= 7);
      assert.ok(all.every(Number.isInteger));
    }),
  );
});

const pointsOf = ({ text }: Markup): number[][][] =>
  [...text.matchAll(/points="([^"]+)"/g)].map(([, all = ""]) =>
    all.split(" ").map((pair) => pair.split(",").map(Number)),
  );

test("points of a line lie where their values are", () => {
  const chart = lineChart({
    title: "t",
    description: "d",
    xLabel: "x",
    yLabel: "y",
    x: [0, 1, 4],
    series: [{ name: "a", values: [0, 10, 5] }],
  });
  const [[a = [], b = [], c = []] = []] = pointsOf(chart);
  assert.is(a[0], 70);
  assert.is(c[0], 740);
  // A quarter of the way, as 1 is of 4.
  assert.is(b[0], 70 + (740 - 70) / 4);
  assert.is(b[1], 14);
  assert.is(a[1], 320 - 46);
  assert.is(c[1], (14 + 274) / 2);
  assert.match(chart.text, /<title>a, x 4: 5<\/title>/);
});

test("any finite values stay inside the picture", () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 10 ** 6 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(numbers, (values) => {
      const x = values.map((_, i) => `release ${i}`);
      const [line = []] = pointsOf(
        lineChart({
          title: "t",
          description: "d",
          xLabel: "x",
          yLabel: "y",
          x,
          series: [{ name: "a", values }],
        }),
      );
      assert.is(line.length, values.length);
      for (const [left = -1, top = -1] of line)
        assert.ok(left >= 70 && left <= 740 && top >= 14 && top <= 274, `${left},${top}`);
    }),
  );
});

const chart = (rows: number) =>
  timeline({
    title: "t",
    description: "d",
    columns: ["1.30", "1.31", "1.32"],
    rows: Array.from({ length: rows }, (_, i) => ({
      name: `row ${i}`,
      bars: [
        { first: 0, last: 0, kind: "alpha", label: "Alpha", title: "first" },
        { first: 1, last: 2, kind: "ga", label: "GA", title: "second", locked: true },
      ],
    })),
  });

test("bars of a timeline cover their columns, and locks are drawn", () => {
  const [picture] = chart(1);
  const bars = [
    ...(picture?.text ?? "").matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" [^>]*rx="3"/g),
  ];
  const [first, second] = bars.map(([, x, width]) => [Number(x), Number(width)]);
  assert.is(second?.[1], 2 * 42 - 2);
  assert.is(first?.[1], 42 - 2);
  assert.is((second?.[0] ?? 0) - (first?.[0] ?? 0), 42);
  assert.is((picture?.text.match(/class="lock"/g) ?? []).length, 1);
});

test("a long timeline comes in pictures that fit on a page", () => {
  assert.is(chart(36).length, 1);
  const pictures = chart(80);
  assert.is(pictures.length, 3);
  assert.match(pictures[2]?.text ?? "", /<title>t \(3 of 3\)<\/title>/);
  assert.is(chart(0).length, 0);
});

test("long names are cut between characters", () => {
  assert.is(shortened("abc", 3), "abc");
  assert.is(shortened("\u{1f600}\u{1f600}\u{1f600}", 2), "\u{1f600}…");
});

test.run();
