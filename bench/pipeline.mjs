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

/** Makes 26 RSA keys at once, as the first run has to. */
const KEYS = `
const { generateKeyPair } = require("node:crypto");
const make = () => new Promise((done) => generateKeyPair("rsa", { modulusLength: 2048 }, done));
Promise.all(Array.from({ length: 26 }, make));
`;

const WITH_KEYS = [
  ["manifests", 3],
  ["infrastructure-manifests", 4],
  ["ignition-configs", 4],
];

const STATE = ".openshift_install_state.json";
/** The state as the manifests phase left it: keys, and no certificates yet. */
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
      const folder = compiled("manifests")();
      cpSync(join(folder, STATE), beforeSigning);
      return folder;
    },
    between(folder) {
      keep(INPUTS)(folder);
      cpSync(beforeSigning, join(folder, STATE));
    },
    limit: 4,
  },
  {
    name: "create manifests, aws, empty directory / 26 RSA keys",
    command: create("manifests"),
    against: [process.execPath, "-e", KEYS],
    prepare: empty,
    between: keep(["install-config.yaml"]),
    limit: 1.3,
  },
];
