import { decode, type OutputFile } from "../core/files.js";
import { isPlaceholder } from "../kubernetes/labels.js";

/** True for a file in which a name is still to be put in. */
export const hasPlaceholder = ({ secret, data }: OutputFile): boolean =>
  !secret && isPlaceholder(decode(data) ?? "");
