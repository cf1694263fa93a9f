// Compatibility questions and generated code, on a gate list as large as the one of Kubernetes 1.37: 239 gates with 471
// versioned specs.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const GATES = 239;
const SPECS = 471;
const STAGES = ["Alpha", "Beta", "GA"];

/** As Kubernetes keeps its list: versioned_feature_list.yaml. */
function gateList() {
  const lines = [];
  for (let gate = 0; gate < GATES; gate++) {
    lines.push(`- name: MadeUpFeatureOfKubernetesNumber${gate}`, "  versionedSpecs:");
    const count = Math.floor(((gate + 1) * SPECS) / GATES) - Math.floor((gate * SPECS) / GATES);
    for (let spec = 0; spec < count; spec++) {
      const stage = STAGES[spec + (gate % 2)];
      lines.push(
        `  - default: ${stage !== "Alpha"}`,
        `    lockToDefault: ${stage === "GA"}`,
        `    preRelease: ${stage}`,
        `    version: "1.${28 + (gate % 6) + spec * 2}"`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

const LIST = "versioned_feature_list.yaml";
const GENERATE = ["slipway", "generate", "feature-gates", "--table", LIST, "--out", "gates.ts"];

const withList = () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, LIST), gateList());
  return folder;
};

function run(folder, [, ...args]) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, "dist/slipway.js"), ...args, "--log-level", "error"],
    { cwd: folder, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
}

const generated = () => {
  const folder = withList();
  run(folder, GENERATE);
  return folder;
};

/** The generated module as a program loads it, beside a module that holds nothing. */
const compiled = () => {
  const folder = generated();
  const code = readFileSync(join(folder, "gates.ts"), "utf8");
  writeFileSync(join(folder, "gates.mjs"), transformSync(code, { loader: "ts", format: "esm" }).code);
  writeFileSync(join(folder, "empty.mjs"), "export {};\n");
  return folder;
};

export default [
  {
    name: "compat gates, 239 gates / node -e 0",
    command: [
      ...["slipway", "compat", "gates", "--table", LIST],
      ...["--binary-version", "1.37", "--emulated-version", "1.35"],
    ],
    prepare: withList,
    limit: 7,
  },
  {
    name: "compat gates, 239 gates, json / node -e 0",
    command: ["slipway", "compat", "gates", "--table", LIST, "--binary-version", "1.37", "--output", "json"],
    prepare: withList,
    limit: 7,
  },
  {
    name: "generate feature-gates, 239 gates, from scratch / node -e 0",
    command: GENERATE,
    prepare: withList,
    between: (folder) => rmSync(join(folder, "gates.ts"), { force: true }),
  },
  {
    name: "generate feature-gates --check, unchanged / node -e 0",
    command: [...GENERATE, "--check"],
    prepare: generated,
  },
  {
    name: "import of the generated module / an empty module",
    command: [process.execPath, "gates.mjs"],
    against: [process.execPath, "empty.mjs"],
    prepare: compiled,
  },
];
