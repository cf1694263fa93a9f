/** Texts that would run, or change what runs, where they reached a shell as they are, and the judge of what ran. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { tempFolder } from "./temp.js";

/** The file that a hostile text makes where a shell runs it, in the folder that it runs in. */
export const MARK = "RAN";

export const HOSTILE: readonly string[] = [
  `$(touch ${MARK})`,
  `\`touch ${MARK}\``,
  `'; touch ${MARK}; '`,
  `"; touch ${MARK}; "`,
  `a\ntouch ${MARK}\n`,
  `a\r\ntouch ${MARK}\r\n`,
  `; touch ${MARK}`,
  `& touch ${MARK} &`,
  `| touch ${MARK}`,
  `'$(touch ${MARK})'`,
  `"$(touch ${MARK})"`,
  `\\"$(touch ${MARK})\\"`,
  `\${x:-$(touch ${MARK})}`,
  `EOF\ntouch ${MARK}\n`,
  `> ${MARK}`,
  `-o=${MARK}`,
  `--kubeconfig=${MARK}`,
];

/** Programs of the commands, which do nothing here. */
const PROGRAMS = [
  ...[
    "kubectl",
    "oc",
    "slipway",
    "etcdctl",
    "openshift-install",
    "clusterctl",
    "git",
    "cp",
    "mkdir",
    "mv",
    "rm",
    "sops",
    "coreos-installer",
    "sleep",
  ],
  ...["aws", "az", "curl", "gcloud", "govc", "ibmcloud", "openstack", "xorriso"],
];

/** Runs a text as a shell would, in the folder; says whether something of it ran that was meant as a name. */
export function runs(script: string, folder: string): boolean {
  const bin = join(folder, ".programs");
  if (!existsSync(bin)) {
    mkdirSync(bin);
    for (const name of PROGRAMS) writeFileSync(join(bin, name), "#!/bin/sh\necho True\n", { mode: 0o755 });
  }
  spawnSync("sh", ["-c", script], { cwd: folder, env: { PATH: `${bin}:${process.env["PATH"]}` }, input: "" });
  return existsSync(join(folder, MARK));
}

/** Runs each text; throws for one of which a part runs that was meant as a name. */
export const nothingRuns = (scripts: readonly string[], what: string): void => {
  const folder = tempFolder();
  for (const script of scripts) assert.not(runs(script, folder), `${what}: ${script}`);
};
