/** What both programs make of a pair of configs: the opened configuration image, or the fields that are refused. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { dump } from "js-yaml";
import { AGENT_IMAGE, compileAgent, errorsOf, parsedDocuments } from "../helpers/agent.js";
import { openArchive, openImage } from "../helpers/image.js";
import type { AgentCase } from "./agent-generate.js";
import { compareFiles, type FileTexts } from "./compare.js";
import { errorsIn, type Installer, runInstaller } from "./installer.js";
import type { Outcome } from "./report.js";

/** Random values, and the version that the installer was built as. */
const comparable = (text: string, version: string, release: string): string =>
  text
    .replaceAll(version, release)
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "TOKEN")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/EC_PUBLIC_KEY_PEM=.*/g, "EC_PUBLIC_KEY_PEM=")
    .replaceAll(/52:54:00(?::[0-9a-f]{2}){3}(?=")/g, (found) => (found.includes("aa:") ? found : "MAC"));

/** The files of an image as JSON: objects as parsed, other texts as they are, without secrets that chance decides. */
function filesOf(image: Uint8Array, version: string, release: string): FileTexts {
  const { files } = openImage(image);
  const archive = openArchive(files.get("config.gz")?.data ?? new Uint8Array());
  return new Map(
    [...archive].map(([path, { data, mode }]) => {
      const text = comparable(data.toString("utf8"), version, release);
      const content = path.startsWith("/opt/agent/tls/")
        ? ["drawn"]
        : path.endsWith(".yaml")
          ? parsedDocuments(text)
          : text.split("\n");
      return [path, JSON.stringify({ mode, content })];
    }),
  );
}

const KINDS =
  "Invalid value|Required value|Unsupported value|Forbidden|Duplicate value|Too many|Too long|Not found";

/** The fields and kinds that a refusal names. */
export const fieldsIn = (refusal: string): readonly string[] => [
  ...new Set(
    [
      ...refusal.matchAll(
        new RegExp(`((?:[A-Za-z]\\w*(?:\\[[^\\]]*\\])?)(?:\\.\\w+(?:\\[[^\\]]*\\])?)*): (${KINDS})`, "g"),
      ),
    ].map(([, field, kind]) => `${field}: ${kind}`),
  ),
];

/** What the installer says as well of a value that slipway refuses: the second follows from the first. */
const CONSEQUENCES: readonly (readonly [refused: string, follows: RegExp])[] = [
  ["controlPlane.architecture: Unsupported value", /^compute\[\d+\]\.architecture: Invalid value$/],
];

const followsFrom = (named: readonly string[], field: string): boolean =>
  CONSEQUENCES.some(([refused, follows]) => named.includes(refused) && follows.test(field));

export interface AgentRun {
  readonly installer: Installer;
  /** As the installer prints it. */
  readonly version: string;
  readonly release: string;
  readonly nmstatectl: string | undefined;
  readonly folder: string;
}

/** The outcome; a field that only slipway names is none of the installer's first errors. */
export async function agentOutcome(given: AgentCase, run: AgentRun): Promise<Outcome> {
  const { name, fault } = given;
  const { installer, folder, nmstatectl, version, release } = run;
  const [directory, home] = [join(folder, "cluster"), join(folder, "home")];
  rmSync(folder, { recursive: true, force: true });
  for (const each of [directory, home]) mkdirSync(each, { recursive: true });
  const texts = {
    installConfig: dump(given.installConfig, { lineWidth: -1 }),
    agentConfig: dump(given.agentConfig, { lineWidth: -1 }),
  };
  writeFileSync(join(directory, "install-config.yaml"), texts.installConfig);
  writeFileSync(join(directory, "agent-config.yaml"), texts.agentConfig);
  const path = [
    ...(nmstatectl === undefined ? [] : [dirname(resolve(nmstatectl))]),
    process.env["PATH"] ?? "",
  ].join(delimiter);
  const { code, log } = await runInstaller(
    installer,
    ["agent", "create", "config-image", "--dir", directory],
    home,
    { PATH: path },
  );
  const theirs =
    code === 0
      ? filesOf(readFileSync(join(directory, "agentconfig.noarch.iso")), version, release)
      : undefined;
  const output = await compileAgent(texts, {
    release,
    releaseImage: AGENT_IMAGE,
    target: "agent-config-image",
    ...(nmstatectl === undefined
      ? {}
      : {
          nmstate: async (network: string) => {
            const { status, stdout, stderr } = spawnSync(nmstatectl, ["gc", "-"], {
              input: network,
              env: {},
            });
            return { ok: status === 0, text: String(status === 0 ? stdout : stderr) };
          },
        }),
  });
  const image = output.files.find(({ path: each }) => each === "agentconfig.noarch.iso");
  const ours = image === undefined ? undefined : filesOf(image.data, version, release);
  const refusal = { installer: errorsIn(log), slipway: errorsOf(output).join("\n") };
  const named = errorsOf(output);
  const compared =
    theirs !== undefined && ours !== undefined
      ? compareFiles(theirs, ours)
      : { differences: [], excepted: new Set<never>(), compared: 0 };
  const missing =
    theirs === undefined && ours === undefined
      ? fieldsIn(refusal.installer).filter((each) => !named.includes(each) && !followsFrom(named, each))
      : [];
  return {
    name,
    fault,
    accepted: { installer: theirs !== undefined, slipway: ours !== undefined },
    refusal,
    refused: fieldsIn(refusal.installer).map((each) => each.replaceAll(/\[[^\]]*\]/g, "[]")),
    excused: /^(?:panic:|goroutine \d)/m.test(log) ? "the installer crashes" : undefined,
    differences: [
      ...compared.differences,
      ...missing.map((each) => ({
        file: `refusal (${fault ?? "meant to be valid"})`,
        field: each,
        installer: each,
        slipway: named.join("; "),
      })),
    ],
    excepted: [...compared.excepted],
    compared: compared.compared,
  };
}
