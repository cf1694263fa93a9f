/** The rewrite loop as a process of its own, so that a test can kill it: URL and writes a second are its arguments. */
import { setTimeout } from "node:timers/promises";
import { rewriteLoop } from "../../src/storage/rewrite-loop.js";
import { CODEC, EtcdStore, TYPES } from "./etcd-store.js";

const [url = "", perSecond = "1"] = process.argv.slice(2);
const result = await rewriteLoop({
  store: new EtcdStore(url),
  codec: CODEC,
  types: TYPES,
  pageSize: 7,
  pace: {
    perSecond: Number(perSecond),
    now: () => performance.now(),
    sleep: async (milliseconds) => void (await setTimeout(milliseconds)),
  },
  stop: () => {
    process.stdout.write(`write ${performance.now()}\n`);
    return false;
  },
});
process.stdout.write(`result ${JSON.stringify(result)}\n`);
