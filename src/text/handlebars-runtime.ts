/**
 * The run-time half of Handlebars, for precompiled templates. The package types its `runtime` entry as the whole
 * library without its members; this names the one that we use.
 */
import type Handlebars from "handlebars";
import * as runtime from "handlebars/runtime.js";

type Runtime = Pick<typeof Handlebars, "template">;

function isRuntime(value: unknown): value is Runtime {
  return typeof value === "object" && value !== null && "template" in value;
}

function runtimeOf(module: unknown): Runtime {
  const library =
    typeof module === "object" && module !== null && "default" in module ? module.default : module;
  if (!isRuntime(library)) throw new Error("handlebars/runtime has no template function");
  return library;
}

export default runtimeOf(runtime);
