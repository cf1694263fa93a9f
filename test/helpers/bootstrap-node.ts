/**
 * A bootstrap node in a scratch folder: the files of the config, and in the place of podman, oc and the like one
 * program that records how it is called and creates what the real ones would (test/fakes/node-program).
 */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parseRelease, type Release } from "../../src/core/release.js";
import { type BootInput, bootSequence } from "../../src/phases/ignition-configs/boot/index.js";
import type { IgnitionFile } from "../../src/phases/ignition-configs/config.js";
import { tempFolder } from "./temp.js";

const PROGRAMS =
  "podman oc dig curl sync sleep agetty uname getent useradd chown crio crictl coreos-installer shutdown systemctl".split(
    " ",
  );

const IN_PLACE = "usr/local/bin/slipway-in-place";

/** Why no script can be run here, or undefined. */
export const noBash = ["bash", "flock"].every((tool) => spawnSync(tool, ["--version"]).status === 0)
  ? undefined
  : "needs bash and flock";

export const releaseOf = (text: string): Release => {
  const found = parseRelease(text);
  if (found === undefined) throw new Error(`no release ${text}`);
  return found;
};

/** What the data part of a config puts below /opt/openshift, as far as the boot sequence asks for it. */
export const DATA_FILES: readonly string[] = [
  ...["cluster-config.yaml", "cluster-infrastructure-02-config.yml", "cluster-network-02-config.yml"],
  ...["cvo-overrides.yaml", "openshift-config-secret-pull-secret.yaml", "twice.yaml", "with blank.yaml"],
]
  .map((name) => `manifests/${name}`)
  .concat(["openshift/99_feature-gate.yaml", "openshift/twice.yaml"])
  .concat(["kubeconfig", "kubeconfig-kubelet", "kubeconfig-loopback"].map((name) => `auth/${name}`))
  .concat(
    ["root-ca.crt", "kube-apiserver-complete-client-ca-bundle.crt"].map((name) => `tls/${name}`),
    ["machine-config-server.crt", "machine-config-server.key", "journal-gatewayd.crt"].map((n) => `tls/${n}`),
    ["tls/journal-gatewayd.key", "original_cvo_overrides.patch"],
  );

export const bootInput = (release: string, more: Partial<BootInput> = {}): BootInput => ({
  release: releaseOf(release),
  releaseImage: "registry.test/release@sha256:abcd",
  clusterDomain: "tern.example.org",
  controlPlaneTopology: "HighlyAvailable",
  ipv6First: false,
  files: DATA_FILES,
  ...more,
});

const leastFiles = (input: BootInput): readonly IgnitionFile[] => [
  ...input.files.map((path) => ({ path: `/opt/openshift/${path}`, mode: 0o644, data: `given: ${path}\n` })),
  ...bootSequence(input).files,
];

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  /** The calls of this run, each as its words. */
  readonly calls: readonly (readonly string[])[];
}

export class BootstrapNode {
  readonly root = tempFolder();
  private readonly fakes = join(this.root, "fakes");
  private readonly log = join(this.fakes, "log");

  /** `files` are those of the config: without any, what a boot sequence of `input` asks for at least. */
  constructor(
    readonly input: BootInput,
    files: readonly IgnitionFile[] = leastFiles(input),
  ) {
    mkdirSync(this.fakes);
    const program = join(this.fakes, "program");
    copyFileSync("test/fakes/node-program", program);
    chmodSync(program, 0o755);
    mkdirSync(join(this.fakes, "copying"));
    symlinkSync("../program", join(this.fakes, "copying/cp"));
    for (const name of PROGRAMS) symlinkSync("program", join(this.fakes, name));
    this.write("opt/openshift/slipway/release", "registry.test/release@sha256:abcd\n");
    for (const { path, mode, data } of files) {
      this.write(path, data);
      chmodSync(this.place(path), mode);
    }
    // The boot script calls it by its name alone.
    if (this.has(IN_PLACE)) symlinkSync(this.place(IN_PLACE), join(this.fakes, "slipway-in-place"));
    mkdirSync(this.place("/usr/bin"), { recursive: true });
    symlinkSync(program, this.place("/usr/bin/kubelet"));
  }

  place(path: string): string {
    return join(this.root, path);
  }

  has(path: string): boolean {
    return existsSync(this.place(path));
  }

  read(path: string): string {
    return readFileSync(this.place(path), "utf8");
  }

  write(path: string, data: string | Uint8Array): void {
    mkdirSync(dirname(this.place(path)), { recursive: true });
    writeFileSync(this.place(path), data);
  }

  /** Runs a script of /usr/local/bin in a process group of its own, since the stand-ins may kill all of it. */
  run(
    script: string,
    args: readonly string[] = [],
    fake: { readonly [name: string]: string } = {},
  ): Promise<Ran> {
    writeFileSync(this.log, "");
    for (const each of ["syncs", "sleeps"]) writeFileSync(`${this.log}.${each}`, "");
    const copying = fake["FAKE_KILL_COPY"] !== undefined;
    const child = spawn("bash", [this.place(`/usr/local/bin/${script}`), ...args], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: `${copying ? `${this.fakes}/copying:` : ""}${this.fakes}:/usr/bin:/bin`,
        SLIPWAY_ROOT: this.root,
        FAKE_LOG: this.log,
        ...fake,
      },
    });
    let output = "";
    const keep = (part: Buffer) => {
      output += part.toString();
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    return new Promise((done, fail) => {
      const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), 600_000);
      child.on("error", fail);
      child.on("close", (code, signal) => {
        clearTimeout(timer);
        const lines = readFileSync(this.log, "utf8").split("\n").slice(0, -1);
        done({ code, signal, output, calls: lines.map((line) => line.split("\t")) });
      });
    });
  }

  boot(fake: { readonly [name: string]: string } = {}): Promise<Ran> {
    return this.run("slipway-boot", [], fake);
  }
}

/** The steps that a run began, as its lines say. */
export const startedSteps = ({ output }: Ran): readonly string[] =>
  [...output.matchAll(/^slipway-boot: \[\d+\/\d+\] ([a-z-]+): starts/gm)].map(([, name]) => name ?? "");
