// Reading a snapshot of 1 GiB with 200,000 live keys, beside what etcdctl takes to look at it. Not part of the tests:
// the file is written once, in the folder for temporary files.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BENCH_CONFIG, writeBenchFile } from "../scripts/etcd-bench-file.mjs";

const BYTES = 1 << 30;
const LIVE_KEYS = 200_000;
const PEAK_LIMIT_MIB = 256;
const folder = join(tmpdir(), "slipway-bench-etcd");
const hasClient =
  spawnSync("etcdctl", ["version"], { env: { ...process.env, ETCDCTL_API: "3" } }).status === 0;
process.env.ETCDCTL_API = "3";

const binary = fileURLToPath(new URL("../dist/slipway.js", import.meta.url));

/** Makes the files once, and says how fast and how large the reading is. */
function prepare(words) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "snapshot.db");
  if (!existsSync(file)) writeBenchFile(file, BYTES, LIVE_KEYS);
  writeFileSync(join(folder, "encryption.yaml"), BENCH_CONFIG);
  const peak = join(folder, "peak");
  const hook = `data:text/javascript,${encodeURIComponent(
    `import { writeFileSync } from "node:fs"; process.on("exit", () => writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`,
  )}`;
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ["--import", hook, binary, ...words], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`exit ${status}\n${stderr}`);
  const seconds = (performance.now() - started) / 1000;
  const mib = Number(readFileSync(peak, "utf8")) / 1024;
  const megabytes = statSync(file).size / 1e6;
  console.log(
    `  ${words.slice(0, 2).join(" ")}: ${megabytes.toFixed(0)} MB in ${seconds.toFixed(2)} s, ${(megabytes / seconds).toFixed(0)} MB/s, peak ${mib.toFixed(0)} MiB`,
  );
  if (mib > PEAK_LIMIT_MIB) throw new Error(`peak ${mib.toFixed(0)} MiB is above ${PEAK_LIMIT_MIB}`);
  return folder;
}

const COPY = ["--snapshot", "snapshot.db", "--encryption-config", "encryption.yaml", "--target", "1.36"];
const STATUS = ["etcdctl", "snapshot", "status", "snapshot.db"];

const measured = (name, words, limit) => ({
  name: `${name}, 1 GiB, 200,000 keys / etcdctl snapshot status`,
  command: ["slipway", ...words],
  against: STATUS,
  limit,
  prepare: () => prepare(words),
});

export default hasClient
  ? [
      measured("etcd inventory", ["etcd", "inventory", ...COPY], 2),
      measured("etcd audit", ["etcd", "audit", ...COPY], undefined),
    ]
  : [];
