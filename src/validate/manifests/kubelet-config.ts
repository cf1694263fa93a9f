/** KubeletConfig (machine-config-operator `validateUserKubeletConfig`, `validateStaticPodPathGivenPool`). */
import table from "../../../tables/machine-config-rules.json" with { type: "json" };
import { isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import { type Found, warning } from "../../core/problem.js";
import { checkValue } from "../../crd/check.js";
import { prepare } from "../../crd/defaults.js";
import type { SchemaNode } from "../../crd/read.js";
import { parseQuantity } from "../../kubernetes/quantities.js";
import { closest } from "../../text/closest.js";
import { quote } from "../../text/quote.js";
import { dig } from "../context.js";
import { problemAt } from "../documents.js";
import { kubeletSchema } from "./definitions.js";
import { type Folders, type KindRules, type Manifest, refused } from "./manifest.js";
import { selectedPools } from "./pools.js";
import { selectorFindings } from "./selected.js";

const KUBELET = "spec.kubeletConfig";

export const rules: KindRules = async (manifest, folders) => {
  const given = dig(manifest.object, KUBELET.split("."));
  const schema = await kubeletSchema(folders.release);
  const config = isObject(given) ? settingsAsRead(given, schema) : undefined;
  const findings = [
    ...selectorFindings(manifest, folders),
    ...(config !== undefined
      ? [
          ...reservedFindings(config),
          ...togetherFindings(config, dig(manifest.object, ["spec", "autoSizingReserved"])),
          ...staticPodFindings(config, manifest, folders),
          ...shapeFindings(config, schema),
        ]
      : []),
  ];
  return findings.map((finding) => problemAt(manifest, finding));
};

/**
 * The settings as the operator's reader has them: Go takes a name in letters of either case, and of two spellings the
 * one that comes last; a number or truth value where text is wanted is its text (apimachinery `NewYAMLOrJSONDecoder`).
 */
function asRead(value: Json, schema: SchemaNode): Json {
  if (isList(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((each) => asRead(each, items));
  }
  if (isObject(value)) return settingsAsRead(value, schema);
  const isText = schema.type === "string" && schema.format === undefined;
  return isText && value !== null ? String(value) : value;
}

function settingsAsRead(settings: JsonObject, schema: SchemaNode): JsonObject {
  const names = new Map([...schema.properties.keys()].map((name) => [name.toLowerCase(), name]));
  const entries = Object.entries(settings).map(([key, value]): [string, Json] => {
    const name = names.get(key.toLowerCase()) ?? key;
    const below = schema.properties.get(name) ?? schema.additional;
    return [name, typeof below === "object" ? asRead(value, below) : value];
  });
  return Object.fromEntries(entries);
}

/** What Go's `time.ParseDuration` reads. */
const DURATION = /^[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const DURATION_WANTED = "must be a duration, such as 1h30m";

interface Format {
  fits(value: Json): boolean;
  readonly wanted: string;
}

/** The formats of the kubelet's schema, which Go reads in ways of its own; other types than text are told by the schema. */
const FORMATS: { readonly [format: string]: Format } = {
  "go-duration": {
    fits: (value) => typeof value !== "string" || DURATION.test(value),
    wanted: DURATION_WANTED,
  },
  "go-duration-or-nanoseconds": {
    fits: (value) =>
      typeof value === "string" ? DURATION.test(value) : value === null || Number.isSafeInteger(value),
    wanted: `${DURATION_WANTED}, or a whole number of nanoseconds`,
  },
  quantity: {
    fits: (value) =>
      value === null ||
      typeof value === "number" ||
      (typeof value === "string" && parseQuantity(value) !== undefined),
    wanted: "must be a quantity, such as 500m or 2Gi",
  },
};

function formatFindings(value: Json, schema: SchemaNode, field: string): Found[] {
  const format = lookup(FORMATS, schema.format ?? "");
  if (format !== undefined && !format.fits(value)) return [refused(field, format.wanted, "")];
  const { items, properties, additional } = schema;
  if (isList(value))
    return items === undefined
      ? []
      : value.flatMap((each, index) => formatFindings(each, items, `${field}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const below = properties.get(name) ?? additional;
    return typeof below === "object" ? formatFindings(each, below, `${field}.${name}`) : [];
  });
}

const isSet = (value: Json | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== "" &&
  !(isList(value) && value.length === 0) &&
  !(isObject(value) && Object.keys(value).length === 0);

/** What the operator sets itself, and refuses to see here. */
function reservedFindings(config: JsonObject): Found[] {
  const forbidden = (path: string): Found =>
    refused(
      `${KUBELET}.${path}`,
      "the cluster sets this field and rejects a KubeletConfig that contains it",
      "remove it",
      "Forbidden",
    );
  return [
    ...table.kubelet.reserved.filter((name) => isSet(config[name])).map(forbidden),
    ...(isSet(dig(config, ["memorySwap", "swapBehavior"])) ? [forbidden("memorySwap.swapBehavior")] : []),
  ];
}

function togetherFindings(config: JsonObject, autoSizing: Json | undefined): Found[] {
  const { systemReserved, systemReservedCgroup, systemCgroups } = config;
  return [
    ...(autoSizing === true && isSet(systemReserved)
      ? [
          refused(
            `${KUBELET}.systemReserved`,
            "autoSizingReserved and systemReserved are mutually exclusive",
            "remove one of them",
          ),
        ]
      : []),
    ...(isSet(systemReservedCgroup) && isSet(systemCgroups) && systemReservedCgroup !== systemCgroups
      ? [refused(`${KUBELET}.systemReservedCgroup`, "must be equal to systemCgroups", "use the same path")]
      : []),
  ];
}

function staticPodFindings(config: JsonObject, manifest: Manifest, folders: Folders): Found[] {
  const path = config["staticPodPath"];
  if (path === undefined) return [];
  const pool = selectedPools(manifest, folders).find(({ isControlPlane }) => isControlPlane || isSet(path));
  if (pool === undefined) return [];
  return [
    refused(
      `${KUBELET}.staticPodPath`,
      pool.isControlPlane
        ? `the pool ${pool.name} runs the control plane as static pods, so the path cannot be changed`
        : `the static pod path of the pool ${pool.name} must be empty`,
      "remove it",
      "Forbidden",
    ),
  ];
}

/** Types as the kubelet reads them; a field that it does not know is lost on the way, without a word. */
function shapeFindings(config: JsonObject, schema: SchemaNode): Found[] {
  const known = [...schema.properties.keys()];
  const hintFor = (field: string): string => {
    const near = closest(field, known);
    return near === undefined
      ? "use a field of KubeletConfiguration in kubelet.config.k8s.io/v1beta1"
      : `did you mean ${near}?`;
  };
  const { object, unknown } = prepare(config, schema);
  return [
    ...unknown
      .filter((field) => !/^(?:apiVersion|kind|metadata)(?:\.|$)/.test(field))
      .map(
        (field): Found =>
          warning(
            "KUB004",
            "Invalid",
            `${KUBELET}.${field}`,
            `unknown field ${quote(field)}; the kubelet ignores it`,
            hintFor(field),
          ),
      ),
    ...checkValue(object, schema, KUBELET).map(({ field, kind, message }) =>
      refused(field, message, "", kind),
    ),
    ...formatFindings(object, schema, KUBELET),
  ];
}
