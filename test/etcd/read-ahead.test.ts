/** The thread that reads ahead hands out the bytes of the file, or nothing. */
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type StoppableReadAhead, startReadAhead } from "../../src/cli/read-ahead.js";
import type { AheadStretch } from "../../src/etcd/read/copy-file.js";
import { tempFolder } from "../helpers/temp.js";
import { random } from "./fuzz.js";

const test = suite("etcd read ahead");

const SIZE = 4096;
const COUNT = 500;
const file = join(tempFolder(), "file");
const content = Buffer.alloc(SIZE * COUNT + 100);
for (let i = 0; i < content.length; i++) content[i] = (i * 31 + Math.floor(i / SIZE) * 7) & 255;
writeFileSync(file, content);

async function using(body: (ahead: StoppableReadAhead) => Promise<void>): Promise<void> {
  const descriptor = openSync(file, "r");
  const ahead = startReadAhead(descriptor, SIZE);
  try {
    await body(ahead);
  } finally {
    await ahead.stop();
    closeSync(descriptor);
  }
}

const assertBytes = ({ data }: AheadStretch, index: number): void =>
  assert.ok(data.equals(content.subarray(index * SIZE, (index + 1) * SIZE)), `stretch ${index}`);

/** Waits until something was read ahead: a busy machine may leave the thread behind for as long as it likes. */
async function arrives(ahead: StoppableReadAhead): Promise<void> {
  for (let i = 0; i < 60_000 && ahead.hits === 0; i++) {
    ahead.take(COUNT - 1)?.release();
    await setTimeout(10);
    ahead.take(COUNT - 2)?.release();
  }
  assert.ok(ahead.hits > 0, "nothing was read ahead");
}

test("backwards, with a few stretches in use at once", () =>
  using(async (ahead) => {
    await arrives(ahead);
    const held: AheadStretch[] = [];
    for (let index = COUNT - 1; index >= 0; index--) {
      const stretch = ahead.take(index);
      if (stretch !== undefined) {
        assertBytes(stretch, index);
        held.push(stretch);
        if (held.length > 4) held.shift()?.release();
      }
      if (index % 4 === 0) await setTimeout(1);
    }
  }));

test("in any order the bytes are the right ones, and what is in use stays as it is", () =>
  using(async (ahead) => {
    const next = random(5);
    const held: { index: number; stretch: AheadStretch }[] = [];
    let at = COUNT - 1;
    for (let i = 0; i < 3000; i++) {
      at = next() < 0.8 ? Math.max(0, at - 1) : Math.floor(next() * COUNT);
      const stretch = ahead.take(at);
      if (stretch !== undefined && !held.some(({ index }) => index === at)) held.push({ index: at, stretch });
      else stretch?.release();
      for (const each of held) assertBytes(each.stretch, each.index);
      if (held.length > 4) held.shift()?.stretch.release();
      if (i % 50 === 0) await setTimeout(1);
    }
  }));

test("a file that cannot be read gives nothing, and ends", async () => {
  const ahead = startReadAhead(1_000_000, SIZE);
  for (let index = 20; index >= 0; index--) {
    assert.is(ahead.take(index), undefined);
    await setTimeout(1);
  }
  await ahead.stop();
});

test.run();
