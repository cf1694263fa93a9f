import type { Command } from "../../command.js";
import { format } from "./flags.js";

export const graph: Command = {
  path: "graph",
  summary: "Draw the phases and what they exchange",
  details: "Writes the graph to stdout; --output json gives nodes and edges.",
  flags: [format],
  examples: [{ line: "slipway graph --format svg > phases.svg", does: "a picture" }],
  load: async () => (await import("./graph-run.js")).runGraph,
};
