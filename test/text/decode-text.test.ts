import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decodeText } from "../../src/text/decode-text.js";

const test = suite("decode-text");

const swap = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();

test("UTF-8, with and without mark, and UTF-16 of both orders", () => {
  const text = "a: é\nb: 😀\n";
  const cases: [Buffer, string | undefined][] = [
    [Buffer.from(text), undefined],
    [Buffer.from(`\ufeff${text}`), "info TEXT002"],
    [Buffer.from(`\ufeff${text}`, "utf16le"), "warning TEXT002"],
    [swap(Buffer.from(`\ufeff${text}`, "utf16le")), "warning TEXT002"],
    [Buffer.from(""), undefined],
  ];
  for (const [bytes, said] of cases) {
    const { text: read, problem } = decodeText(bytes, "f");
    assert.is(read, bytes.length === 0 ? "" : text);
    assert.is(problem === undefined ? undefined : `${problem.severity} ${problem.code}`, said);
  }
});

test("what is not text is refused where it begins to be none", () => {
  const latin = Buffer.concat([Buffer.from("a: 1\nb: "), Buffer.from([0xe9]), Buffer.from(" x\n")]);
  const { text, problem } = decodeText(latin, "f");
  assert.is(text, undefined);
  assert.equal([problem?.code, problem?.line, problem?.column], ["TEXT001", 2, 4]);
  assert.match(problem?.message ?? "", /0xE9/);
  const cut = decodeText(Buffer.from([0x61, 0xf0, 0x9f, 0x98]), "f");
  assert.equal([cut.problem?.line, cut.problem?.column], [1, 2]);
  assert.is(cut.text, undefined);
  const unmarked = decodeText(Buffer.from("apiVersion: v1\nbaseDomain: x\n", "utf16le"), "f");
  assert.is(unmarked.text, undefined);
  assert.match(unmarked.problem?.message ?? "", /UTF-16 without a byte order mark/);
  assert.is(decodeText(Buffer.from([0xff, 0xfe, 0x00, 0xd8]), "f").problem?.code, "TEXT001");
});

test.run();
