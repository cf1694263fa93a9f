import type { Command } from "../../command.js";
import { format } from "./flags.js";

export const graph: Command = {
  path: "graph",
  summary: "Draw the phases and their inputs and outputs",
  details: "Writes the graph to stdout; --output json prints nodes and edges.",
  flags: [format],
  examples: [{ line: "slipway graph --format svg > phases.svg", does: "an SVG image" }],
  load: async () => (await import("./graph-run.js")).runGraph,
};
