/** Debian's etcd on loopback, for tests that want a real one. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const found = (tool: string, ...args: string[]): boolean =>
  spawnSync(tool, args, { env: { ...process.env, ETCDCTL_API: "3" } }).status === 0;

/** True when server and client are installed. */
export const hasEtcd = (): boolean => found("etcd", "--version") && found("etcdctl", "version");

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

const base64 = (data: Uint8Array | string): string => Buffer.from(data).toString("base64");

export class Etcd {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly folder: string,
  ) {}

  static async start(folder: string): Promise<Etcd> {
    const [client, peer] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${client}`;
    const peerUrl = `http://127.0.0.1:${peer}`;
    const child = spawn(
      "etcd",
      [
        ...["--data-dir", join(folder, "data"), "--listen-client-urls", url, "--advertise-client-urls", url],
        ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
        ...["--initial-cluster", `default=${peerUrl}`, "--log-level", "error"],
      ],
      { stdio: "ignore" },
    );
    const etcd = new Etcd(child, url, folder);
    for (let i = 0; i < 3000; i++) {
      if (await etcd.healthy()) return etcd;
      await setTimeout(100);
    }
    child.kill("SIGKILL");
    throw new Error("etcd did not start");
  }

  private async healthy(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/health`);
      return response.ok && (await response.text()).includes("true");
    } catch {
      return false;
    }
  }

  private async post(path: string, body: object | string): Promise<string> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${this.url}${path}`, { method: "POST", body: text });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${path}: ${answer}`);
    return answer;
  }

  async put(key: string, value: Uint8Array, lease?: bigint): Promise<void> {
    await this.post("/v3/kv/put", {
      key: base64(key),
      value: base64(value),
      ...(lease === undefined ? {} : { lease: lease.toString() }),
    });
  }

  async delete(key: string): Promise<void> {
    await this.post("/v3/kv/deleterange", { key: base64(key) });
  }

  /** Several writes in one revision. */
  async transaction(entries: readonly (readonly [string, Uint8Array])[]): Promise<void> {
    await this.post("/v3/kv/txn", {
      success: entries.map(([key, value]) => ({ requestPut: { key: base64(key), value: base64(value) } })),
    });
  }

  async grant(lease: bigint): Promise<void> {
    await this.post("/v3/lease/grant", { ID: lease.toString(), TTL: "3600" });
  }

  async compact(revision: bigint): Promise<void> {
    await this.post("/v3/kv/compaction", { revision: revision.toString(), physical: true });
  }

  ctl(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync("etcdctl", ["--endpoints", this.url, ...args], {
      encoding: "utf8",
      maxBuffer: 1 << 28,
      env: { PATH: process.env["PATH"], ETCDCTL_API: "3" },
    });
    if (status !== 0) throw new Error(`etcdctl ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  async stop(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.child.once("exit", () => resolve()));
    this.child.kill("SIGTERM");
    await Promise.race([ended, setTimeout(60_000)]);
    this.child.kill("SIGKILL");
  }
}
