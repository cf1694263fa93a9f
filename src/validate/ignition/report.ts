/** How the checks of a config tell what they find. */
import type { Code } from "../../core/codes.js";
import type { Problem } from "../../core/diagnostics.js";
import type { YamlNode } from "../../text/yaml-read.js";

export type ReportAtNode = (
  node: Pick<YamlNode, "line" | "column">,
  path: string,
  code: Code,
  kind: Problem["kind"],
  message: string,
  hint: string,
  severity?: "error" | "warning",
) => void;
