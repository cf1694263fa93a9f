/**
 * A real Kubernetes on loopback for tests that follow a plan as it is printed: etcd, kube-apiserver and
 * kube-controller-manager without nodes. The folder that SLIPWAY_KUBE_BIN names holds the binaries; etcd is on the PATH.
 * Without them the tests are skipped, named and counted.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Test } from "uvu";
import { isJson, type Json, type JsonObject } from "../../src/core/json.js";
import type { CliResult } from "./cli.js";
import { record } from "./cli.js";
import { skipTest } from "./shared.js";
import { tempFolder } from "./temp.js";

const BINARIES = ["kube-apiserver", "kube-controller-manager", "kubectl"] as const;
const folder = process.env["SLIPWAY_KUBE_BIN"] ?? "";

/** Why there can be no servers; empty when everything is there. */
export const noKube =
  folder === ""
    ? `needs SLIPWAY_KUBE_BIN, a folder with ${BINARIES.join(", ")}`
    : (BINARIES.filter((name) => !existsSync(join(folder, name))).map(
        (name) => `needs ${name} in ${folder}`,
      )[0] ??
      (["etcd", "setpriv"].every((tool) => spawnSync(tool, ["--version"]).status === 0)
        ? ""
        : "needs etcd and setpriv"));

export interface KubeOptions {
  /** Controllers to run, by the names of kube-controller-manager; none: it is not started. */
  readonly controllers?: readonly string[];
  /** Feature gates of both servers: `Name=true`. */
  readonly gates?: readonly string[];
  /** More flags of kube-apiserver, such as `--encryption-provider-config=…`. */
  readonly apiServer?: readonly string[];
  /** More flags of kube-controller-manager. */
  readonly controllerManager?: readonly string[];
}

export interface KubeAnswer {
  readonly status: number;
  /** Null when the answer is not JSON. */
  readonly body: Json;
}

/** Bearer tokens: `admin` is in system:masters; any other user has the rights that the test gives it by RBAC. */
const USERS = ["admin", "alice", "bob"] as const;
export type KubeUser = (typeof USERS)[number];

const STARTED_WITHIN = 600_000;
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export class KubeServers {
  private readonly servers = new Map<string, ChildProcess>();

  private constructor(
    /** Holds data, logs and the kubeconfig; removed when the test process ends. */
    readonly folder: string,
    readonly etcdUrl: string,
    readonly url: string,
    private readonly peerUrl: string,
    private readonly tokens: Readonly<Record<KubeUser, string>>,
    private options: KubeOptions,
  ) {}

  /** Starts the servers and waits until the API server is ready. */
  static async start(options: KubeOptions = {}): Promise<KubeServers> {
    const [client, peer, port] = await freePorts(3);
    const token = (): string => randomBytes(16).toString("hex");
    const kube = new KubeServers(
      tempFolder(),
      `http://127.0.0.1:${client}`,
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${peer}`,
      { admin: token(), alice: token(), bob: token() },
      options,
    );
    kube.writeFiles();
    try {
      await kube.startEtcd();
      await kube.startApiServer();
      await kube.startControllerManager();
    } catch (error) {
      await kube.stop();
      throw error;
    }
    return kube;
  }

  /** Environment of commands that a user would run: kubectl and its configuration are found. */
  get env(): Readonly<Record<string, string>> {
    return this.envOf("admin");
  }

  envOf(user: KubeUser): Readonly<Record<string, string>> {
    return {
      PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}`,
      HOME: this.folder,
      KUBECONFIG: this.kubeconfig(user),
    };
  }

  /** `kubectl ARGS…`; never throws. */
  kubectl(args: readonly string[], input = "", user: KubeUser = "admin"): CliResult {
    return this.run(join(folder, "kubectl"), args, { input, user });
  }

  /** What kubectl printed; throws when it failed. */
  kubectlOk(args: readonly string[], input = ""): string {
    const { code, stdout, stderr } = this.kubectl(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** Runs a script as a user would who pastes it into a shell in this folder. */
  shell(script: string, cwd: string, user: KubeUser = "admin"): CliResult {
    return this.run("bash", ["-euo", "pipefail", "-c", script], { cwd, user });
  }

  /** As `shell`, while other things of the process go on. */
  async shellBeside(script: string, cwd: string): Promise<CliResult> {
    const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: this.env,
    });
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8");
      child[stream].on("data", (part: string) => {
        said[stream] += part;
      });
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    record(said.stdout + said.stderr);
    return { code, ...said };
  }

  private run(
    command: string,
    args: readonly string[],
    { cwd = this.folder, input = "", user }: { cwd?: string; input?: string; user: KubeUser },
  ): CliResult {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd,
      input,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      env: this.envOf(user),
    });
    record(stdout + stderr);
    return { code: status, stdout, stderr };
  }

  /** One request to the API server, faster than a kubectl. */
  async request(
    method: string,
    path: string,
    body?: Json,
    contentType = "application/json",
    user: KubeUser = "admin",
  ): Promise<KubeAnswer> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        `${this.url}${path}`,
        {
          method,
          rejectUnauthorized: false,
          // A command that ran meanwhile may have taken so long that the server has closed a kept connection.
          agent: false,
          headers: {
            authorization: `Bearer ${this.tokens[user]}`,
            ...(sent === undefined
              ? {}
              : { "content-type": contentType, "content-length": Buffer.byteLength(sent) }),
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (part: string) => {
            text += part;
          });
          response.on("error", reject);
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body: jsonOf(text) }));
        },
      );
      request.on("error", reject);
      request.end(sent);
    });
  }

  /** Stops the API server and the controllers and starts them again on the same etcd, with other options if given. */
  async restart(options: KubeOptions = this.options): Promise<void> {
    await this.end("kube-controller-manager");
    await this.end("kube-apiserver");
    this.options = options;
    await this.startApiServer();
    await this.startControllerManager();
  }

  /** Stops the controllers, so that a test sees a state before they react; `startControllerManager` goes on. */
  async stopControllerManager(): Promise<void> {
    await this.end("kube-controller-manager");
  }

  async stop(): Promise<void> {
    for (const name of ["kube-controller-manager", "kube-apiserver", "etcd"]) await this.end(name);
  }

  private async startEtcd(): Promise<void> {
    this.launch("etcd", "etcd", [
      ...["--data-dir", join(this.folder, "etcd"), "--log-level", "error", "--unsafe-no-fsync"],
      ...["--listen-client-urls", this.etcdUrl, "--advertise-client-urls", this.etcdUrl],
      ...["--listen-peer-urls", this.peerUrl, "--initial-advertise-peer-urls", this.peerUrl],
      ...["--initial-cluster", `default=${this.peerUrl}`],
      // A migration waits until the watches of its resource have come as far as its LIST. Where nobody writes, this
      // etcd moves them on only so often, every ten minutes unless it is told otherwise.
      ...["--experimental-watch-progress-notify-interval", "1s"],
    ]);
    await this.until("etcd", async () => {
      const response = await fetch(`${this.etcdUrl}/health`);
      return response.ok && (await response.text()).includes("true");
    });
  }

  private async startApiServer(): Promise<void> {
    const { gates = [], apiServer = [] } = this.options;
    const key = join(this.folder, "service-account.key");
    this.launch("kube-apiserver", join(folder, "kube-apiserver"), [
      ...[
        "--etcd-servers",
        this.etcdUrl,
        "--bind-address",
        "127.0.0.1",
        "--secure-port",
        new URL(this.url).port,
      ],
      // The server makes its own certificate there.
      ...[
        "--cert-dir",
        join(this.folder, "certificates"),
        "--token-auth-file",
        join(this.folder, "tokens.csv"),
      ],
      ...["--service-account-issuer", this.url, "--service-account-key-file", key],
      ...["--service-account-signing-key-file", key, "--service-cluster-ip-range", "10.0.0.0/24"],
      // There is no controller that makes the accounts that pods of the tests would need.
      ...["--authorization-mode", "RBAC", "--disable-admission-plugins", "ServiceAccount"],
      ...(gates.length === 0 ? [] : ["--feature-gates", gates.join(",")]),
      ...apiServer,
    ]);
    await this.until("kube-apiserver", async () => {
      const { status } = await this.request("GET", "/readyz");
      if (status !== 200) return false;
      return (await this.request("GET", "/api/v1/namespaces/default")).status === 200;
    });
  }

  /** Starts the controllers of the options, if there are any. */
  async startControllerManager(): Promise<void> {
    const { controllers = [], gates = [], controllerManager = [] } = this.options;
    if (controllers.length === 0) return;
    this.launch("kube-controller-manager", join(folder, "kube-controller-manager"), [
      ...["--kubeconfig", this.kubeconfig("admin"), "--controllers", controllers.join(",")],
      ...["--leader-elect=false", "--secure-port=0"],
      ...(gates.length === 0 ? [] : ["--feature-gates", gates.join(",")]),
      ...controllerManager,
    ]);
    await this.until("kube-controller-manager", async () =>
      this.log("kube-controller-manager").includes('"Starting"'),
    );
  }

  private writeFiles(): void {
    mkdirSync(join(this.folder, "certificates"));
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    writeFileSync(
      join(this.folder, "service-account.key"),
      privateKey.export({ type: "pkcs1", format: "pem" }),
      { mode: 0o600 },
    );
    const groupsOf = (user: KubeUser): string => (user === "admin" ? ',"system:masters"' : "");
    const lines = USERS.map((user) => `${this.tokens[user]},${user},${user}${groupsOf(user)}\n`);
    writeFileSync(join(this.folder, "tokens.csv"), lines.join(""), { mode: 0o600 });
    for (const user of USERS) {
      const config: JsonObject = {
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "test", cluster: { server: this.url, "insecure-skip-tls-verify": true } }],
        users: [{ name: user, user: { token: this.tokens[user] } }],
        contexts: [{ name: "test", context: { cluster: "test", user } }],
        "current-context": "test",
      };
      writeFileSync(this.kubeconfig(user), JSON.stringify(config), { mode: 0o600 });
    }
  }

  private kubeconfig(user: KubeUser): string {
    return join(this.folder, `${user}.kubeconfig`);
  }

  /** What a server wrote to its log. */
  log(name: "etcd" | "kube-apiserver" | "kube-controller-manager"): string {
    return readFileSync(join(this.folder, `${name}.log`), "utf8");
  }

  private launch(name: string, command: string, args: readonly string[]): void {
    const log = openSync(join(this.folder, `${name}.log`), "a");
    // The kernel ends the server when this process ends, however it ends.
    const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", command, ...args], {
      stdio: ["ignore", log, log],
      env: this.env,
    });
    closeSync(log);
    child.unref();
    running.add(child);
    child.once("exit", () => running.delete(child));
    this.servers.set(name, child);
  }

  private async until(
    name: "etcd" | "kube-apiserver" | "kube-controller-manager",
    isReady: () => Promise<boolean>,
  ): Promise<void> {
    const end = Date.now() + STARTED_WITHIN;
    while (Date.now() < end && this.servers.get(name)?.exitCode === null) {
      if (await isReady().catch(() => false)) return;
      await setTimeout(100);
    }
    throw new Error(`${name} did not start: ${this.log(name).slice(-2000)}`);
  }

  private async end(name: string): Promise<void> {
    const child = this.servers.get(name);
    this.servers.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // Everything is made for this test, so nothing has to be brought to an orderly end.
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.ref();
    child.kill("SIGKILL");
    await ended;
  }
}

function jsonOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

/** Ports that nobody listens on, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer();
          server.listen(0, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  return Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          const address = server.address();
          server.close(() =>
            address === null || typeof address === "string"
              ? reject(new Error("no port"))
              : resolve(address.port),
          );
        }),
    ),
  );
}

/** Adds a test that runs against the servers of its suite; skipped where there are none. */
export type KubeTest = (name: string, body: (kube: KubeServers) => void | Promise<void>) => void;

/**
 * Servers for the tests of a suite: started before the first test that needs them, stopped after the last one, whether
 * tests failed or not.
 */
export function kubeTests<T>(test: Test<T>, options: KubeOptions = {}): KubeTest {
  let started: Promise<KubeServers> | undefined;
  test.after(async () => {
    await (await started)?.stop();
  });
  return (name, body) => {
    if (noKube !== "") skipTest(test, name, noKube);
    else
      test(name, async () => {
        started ??= KubeServers.start(options);
        await body(await started);
      });
  };
}
