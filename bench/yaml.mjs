// What the fast reader of plain YAML (src/text/yaml-simple.ts) buys: the processor's time of reading the YAML of the golden
// cases, of which it knows about half, and a dump of pods, as a part of the time without it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The reader as the command line has it, or with a fast one that never knows an answer. */
async function reader(fast) {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { readYaml } from "./yaml-read.js";',
      resolveDir: join(root, "src/text"),
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    plugins: fast
      ? []
      : [
          {
            name: "slow",
            setup: ({ onLoad }) =>
              onLoad({ filter: /yaml-simple\.ts$/ }, () => ({
                contents: "export const readSimpleDocuments = () => undefined;",
              })),
          },
        ],
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

const DIFF = /^<<</m;
const manifests = () =>
  readdirSync(join(root, "golden"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => readFileSync(join(root, "golden", name), "utf8"))
    .filter((text) => !DIFF.test(text));

const pod = (number) => `- apiVersion: v1
  kind: Pod
  metadata: {name: pod-${number}, namespace: ns-${number % 7}}
  spec:
    containers:
    - name: app
      image: registry.example.com/app:v${number}
    volumes:
    - name: data
      persistentVolumeClaim:
        claimName: claim-${number}
  status:
    phase: Running
`;
const dump = () => [
  `apiVersion: v1\nkind: List\nitems:\n${Array.from({ length: 5000 }, (_, i) => pod(i)).join("")}`,
];

/** The median over rounds of the time with the fast reader by the time without it. */
async function ratio(texts) {
  const [fast, slow] = [await reader(true), await reader(false)];
  const cost = ({ readYaml }) => {
    const started = process.cpuUsage();
    for (const text of texts) readYaml(text, "");
    const { user, system } = process.cpuUsage(started);
    return user + system;
  };
  const rounds = Array.from({ length: 9 }, () => cost(fast) / cost(slow));
  return rounds.sort((a, b) => a - b)[4];
}

export default [
  {
    name: "YAML of manifests, with the fast reader / without",
    figure: () => ratio(manifests()),
    limit: 0.95,
  },
  { name: "YAML of 5,000 pods, with the fast reader / without", figure: () => ratio(dump()), limit: 0.85 },
];
