/** The real `sops`, where it is on the machine: the only one whose word on its files counts. */
import { spawnSync } from "node:child_process";

/** Empty where `sops` can be run. */
export const noSops = ((): string => {
  const { status } = spawnSync("sops", ["--version", "--disable-version-check"]);
  return status === 0 ? "" : "sops is not on the path";
})();

/** Runs `sops` with one age identity. Throws with its words when it fails. */
export function sops(args: readonly string[], identity: string): string {
  const { status, stdout, stderr } = spawnSync("sops", ["--disable-version-check", ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], SOPS_AGE_KEY: identity },
  });
  if (status !== 0) throw new Error(`sops ${args.join(" ")}: ${stderr}`);
  return stdout;
}
