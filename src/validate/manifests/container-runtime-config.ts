/** ContainerRuntimeConfig (machine-config-operator `validateUserContainerRuntimeConfig`). */
import table from "../../../tables/machine-config-rules.json" with { type: "json" };
import { isList, isObject, type Json } from "../../core/json.js";
import type { Found } from "../../core/problem.js";
import { type Nano, parseQuantity } from "../../kubernetes/quantities.js";
import { quote } from "../../text/quote.js";
import { dig } from "../context.js";
import { problemAt } from "../documents.js";
import { type KindRules, refused } from "./manifest.js";
import { selectorFindings } from "./selected.js";

const CONFIG = "spec.containerRuntimeConfig";
const { leastPids, leastLogSize, logLevels, runtimes, stores } = table.containerRuntime;
const NANO = 1_000_000_000n;

export const rules: KindRules = (manifest, folders) => {
  const config = dig(manifest.object, CONFIG.split("."));
  const own = isObject(config)
    ? [
        ...pidsFindings(config["pidsLimit"]),
        ...sizeFindings(config["logSizeMax"], config["overlaySize"]),
        ...nameFindings("logLevel", config["logLevel"], logLevels),
        ...nameFindings("defaultRuntime", config["defaultRuntime"], runtimes),
        ...stores.flatMap((name) => storeFindings(name, config[name])),
      ]
    : [];
  return [...own, ...selectorFindings(manifest, folders)].map((finding) => problemAt(manifest, finding));
};

const pidsFindings = (limit: Json | undefined): Found[] =>
  typeof limit === "number" && limit !== 0 && limit < leastPids
    ? [
        refused(
          `${CONFIG}.pidsLimit`,
          `invalid value ${limit}: must be at least ${leastPids}`,
          `use ${leastPids} or more, or 0 for no limit`,
        ),
      ]
    : [];

function sizeFindings(log: Json | undefined, overlay: Json | undefined): Found[] {
  const [logSize, overlaySize] = [amountOf(log), amountOf(overlay)];
  return [
    ...(logSize !== undefined && logSize > 0n && logSize <= BigInt(leastLogSize) * NANO
      ? [
          refused(
            `${CONFIG}.logSizeMax`,
            `invalid value ${String(log)}: must be more than ${leastLogSize} bytes`,
            `use more than ${leastLogSize} bytes`,
          ),
        ]
      : []),
    ...(overlaySize !== undefined && overlaySize < 0n
      ? [refused(`${CONFIG}.overlaySize`, "must not be negative")]
      : []),
  ];
}

const amountOf = (value: Json | undefined): Nano | undefined =>
  typeof value === "string" || typeof value === "number" ? parseQuantity(String(value)) : undefined;

const nameFindings = (name: string, value: Json | undefined, known: readonly string[]): Found[] =>
  typeof value === "string" && value !== "" && !known.includes(value)
    ? [
        refused(
          `${CONFIG}.${name}`,
          `unsupported ${name} ${quote(value)}`,
          `use one of: ${known.join(", ")}`,
          "NotSupported",
        ),
      ]
    : [];

function storeFindings(name: string, list: Json | undefined): Found[] {
  if (!isList(list)) return [];
  return list.flatMap((each, i) => {
    const path = isObject(each) ? each["path"] : undefined;
    if (typeof path !== "string" || (/^\/[a-zA-Z0-9/._-]+$/.test(path) && !path.includes("//"))) return [];
    return [
      refused(
        `${CONFIG}.${name}[${i}].path`,
        `invalid path ${quote(path)}`,
        "use an absolute path of letters, digits, '.', '_' and '-'",
      ),
    ];
  });
}
