import { phaseGraph, toDot, toMermaid } from "../../../phases/graph.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import { print } from "../../print.js";
import { format } from "./flags.js";

export const runGraph: Handler = async (args, cli) => {
  const graph = phaseGraph();
  const form = args.get(format);
  const text =
    form === "mermaid" ? toMermaid(graph) : form === "svg" ? await toSvg(toDot(graph)) : toDot(graph);
  print(args, cli, { kind: "PhaseGraph", json: graph, text });
  return EXIT.done;
};

/** Graphviz itself, compiled to WebAssembly; loaded for this form alone. */
export async function toSvg(dot: string): Promise<string> {
  const { instance } = await import("@viz-js/viz");
  return (await instance()).renderString(dot, { format: "svg" });
}
