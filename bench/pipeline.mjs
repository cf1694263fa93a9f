// The phases on the aws example: with the keys in the state, compiling afresh and with nothing to do, and from nothing.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const example = join(root, "examples/aws");
const facts = ["--facts", join(example, "facts.yaml")];
const create = (phase) => ["slipway", "create", phase, "--dir", ".", ...facts];
const INPUTS = ["install-config.yaml", ".openshift_install_state.json"];

const made = [];
process.on("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const empty = () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  made.push(folder);
  cpSync(join(example, "install-config.yaml"), join(folder, "install-config.yaml"));
  return folder;
};

const keep = (names) => (folder) => {
  for (const each of readdirSync(folder))
    if (!names.includes(each)) rmSync(join(folder, each), { recursive: true });
};

const compiled = (phase) => () => {
  const folder = empty();
  const [, ...args] = create(phase);
  const { status, stderr } = spawnSync(process.execPath, [join(root, "dist/slipway.js"), ...args], {
    cwd: folder,
  });
  if (status !== 0) throw new Error(String(stderr));
  return folder;
};

/** Makes RSA keys by OpenSSL's own generator, at once. */
const keys = (count) => `
const { generateKeyPair } = require("node:crypto");
const make = () => new Promise((done) => generateKeyPair("rsa", { modulusLength: 2048 }, done));
Promise.all(Array.from({ length: ${count} }, make));
`;

const WITH_KEYS = [
  ["manifests", 9],
  ["infrastructure-manifests", 14],
  ["ignition-configs", 12],
];

const STATE = ".openshift_install_state.json";
/** The state as it is wrapped: all keys, and no certificates yet. */
const beforeSigning = join(mkdtempSync(join(tmpdir(), "slipway-bench-")), STATE);
made.push(dirname(beforeSigning));

export default [
  ...WITH_KEYS.flatMap(([phase, limit]) => [
    {
      name: `create ${phase}, aws, keys in the state / node -e 0`,
      command: create(phase),
      prepare: compiled(phase),
      between: keep(INPUTS),
      limit,
    },
    {
      name: `create ${phase}, aws, nothing to do / node -e 0`,
      command: create(phase),
      prepare: compiled(phase),
      limit,
    },
  ]),
  {
    name: "create ignition-configs, aws, keys but no certificates / node -e 0",
    command: create("ignition-configs"),
    prepare() {
      const folder = compiled("infrastructure-manifests")();
      cpSync(join(folder, STATE), beforeSigning);
      return folder;
    },
    between(folder) {
      keep(INPUTS)(folder);
      cpSync(beforeSigning, join(folder, STATE));
    },
    limit: 17,
  },
  {
    name: "create manifests, aws, empty directory / 2 RSA keys and the run with keys",
    command: create("manifests"),
    against: [
      "sh",
      "-c",
      `"${process.execPath}" -e '${keys(2)}' && cd with-keys && "${process.execPath}" "${join(root, "dist/slipway.js")}" ${create("manifests").slice(1).join(" ")}`,
    ],
    prepare() {
      const folder = empty();
      const keyed = compiled("manifests")();
      cpSync(keyed, join(folder, "with-keys"), { recursive: true });
      return folder;
    },
    between(folder) {
      keep(["install-config.yaml", "with-keys"])(folder);
      keep(INPUTS)(join(folder, "with-keys"));
    },
    limit: 1.5,
  },
  {
    name: "create ignition-configs, aws, empty directory / 26 RSA keys",
    command: create("ignition-configs"),
    against: [process.execPath, "-e", keys(26)],
    prepare: empty,
    between: keep(["install-config.yaml"]),
    limit: 0.8,
  },
];
