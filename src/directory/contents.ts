/** When two contents of a file say the same. */
import { equalJson, isObject, type Json } from "../core/json.js";
import { saysSame as sayTheSame, valuesOf } from "../text/yaml-content.js";

/** A Secret around one manifest, as infrastructure-manifests names it. */
const WRAPPED = /(?:^|\/)30_manifest-[^/]*$/;

/**
 * True when layout and comments alone differ. A Secret around a manifest says what the manifest says, so that a comment
 * there makes no difference here.
 */
export const saysSame = (path: string, a: Uint8Array, b: Uint8Array): boolean =>
  sayTheSame(path, a, b) || (WRAPPED.test(path) && wrapsSame(a, b));

function wrapsSame(a: Uint8Array, b: Uint8Array): boolean {
  const [[one, ...more] = [], [two, ...others] = []] = [valuesOf(a), valuesOf(b)];
  if (more.length > 0 || others.length > 0 || !isObject(one) || !isObject(two)) return false;
  const { data: ours, ...head } = one;
  const { data: theirs, ...otherHead } = two;
  if (!equalJson(head, otherHead) || !isObject(ours) || !isObject(theirs)) return false;
  const keys = Object.keys(ours);
  return (
    equalJson(keys.sort(), Object.keys(theirs).sort()) &&
    keys.every((key) => isSameManifest(key, ours[key], theirs[key]))
  );
}

/** Objects alone are compared by value: of another text every byte may count. */
function isSameManifest(name: string, a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a !== "string" || typeof b !== "string") return false;
  if (a === b) return true;
  const [one, two] = [a, b].map((text) => Buffer.from(text, "base64"));
  if (one === undefined || two === undefined || !sayTheSame(name, one, two)) return false;
  return (valuesOf(one) ?? []).every(isObject);
}
