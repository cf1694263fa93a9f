/** Butane's sources among the manifests: nothing on the way to the cluster compiles them. */
import { pathWord } from "./shell.js";

/**
 * The commands that put a source beside the folders of manifests and what it compiles to in its place, for the asset
 * directory.
 * @param path of the source, such as `openshift/99-motd.bu`, whatever it ends in
 */
export function compiledInPlace(path: string): string {
  const [, name = path] = /([^/]*?)(?:\.[^./]*)?$/.exec(path) ?? [];
  const source = pathWord(`${name}.bu`);
  const result = path.endsWith(".bu") ? path.replace(/\.bu$/, ".yaml") : path;
  return `in the asset directory, run: mv ${pathWord(path)} ${source} && butane ${source} -o ${pathWord(result)}`;
}
