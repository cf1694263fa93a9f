/** Inputs that are encrypted and that no available key opens: what can be compiled without them. */
import { decode } from "../core/files.js";
import { INSTALL_CONFIG, isClosed } from "../directory/index.js";
import { sealedNames, standInFor } from "../text/sealed.js";
import { readYaml, rootsOf } from "../text/yaml-read.js";
import type { CompileRequest } from "./request.js";

type Directory = CompileRequest["directory"];

/** True where values of the install-config are encrypted and the state has no copy of it. */
export const hasSealedConfig = ({ inputs, state }: Directory): boolean =>
  isClosed(inputs.get(INSTALL_CONFIG)) && (state?.installConfig?.text ?? "") === "";

/** Recorded files whose values the state, or a stand-in, takes the place of. */
const REPLACEABLE: ReadonlySet<string> = new Set(["credentials", "pull-secret"]);

/** True where an encrypted value decides what is generated, so that nothing can be compiled to compare with. */
export function cannotCompile({ directory, sealedTexts = [] }: CompileRequest): boolean {
  if (sealedTexts.some((name) => !REPLACEABLE.has(name))) return true;
  if (!hasSealedConfig(directory)) return false;
  const text = decode(directory.inputs.get(INSTALL_CONFIG)?.data ?? new Uint8Array()) ?? "";
  return rootsOf(readYaml(text, INSTALL_CONFIG).documents)
    .flatMap((root) => sealedNames(root))
    .some((name) => standInFor(name, "encrypted") === undefined);
}
