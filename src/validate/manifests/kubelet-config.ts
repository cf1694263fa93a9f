/** KubeletConfig (machine-config-operator `validateUserKubeletConfig`, `validateStaticPodPathGivenPool`). */
import table from "../../../schemas/data/machine-config-rules.json" with { type: "json" };
import { isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import { checkValue } from "../../kubernetes/crd-check.js";
import { prepare } from "../../kubernetes/crd-defaults.js";
import type { SchemaNode } from "../../kubernetes/crd-read.js";
import type { ObjectFinding } from "../../kubernetes/finding.js";
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
  const schema = await kubeletSchema();
  const config = isObject(given) ? asRead(given, schema) : undefined;
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
 * one that comes last.
 */
function asRead(config: JsonObject, schema: SchemaNode): JsonObject {
  const names = new Map([...schema.properties.keys()].map((name) => [name.toLowerCase(), name]));
  const entries = Object.entries(config).map(([key, value]): [string, Json] => {
    const name = names.get(key.toLowerCase()) ?? key;
    const below = schema.properties.get(name);
    return [name, below !== undefined && isObject(value) ? asRead(value, below) : value];
  });
  return Object.fromEntries(entries);
}

const isSet = (value: Json | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== "" &&
  !(isList(value) && value.length === 0) &&
  !(isObject(value) && Object.keys(value).length === 0);

/** What the operator sets itself, and refuses to see here. */
function reservedFindings(config: JsonObject): ObjectFinding[] {
  const forbidden = (path: string): ObjectFinding =>
    refused(
      `${KUBELET}.${path}`,
      "the cluster sets this field itself, and refuses a KubeletConfig with it",
      "leave it out",
      "Forbidden",
    );
  return [
    ...table.kubelet.reserved.filter((name) => isSet(config[name])).map(forbidden),
    ...(isSet(dig(config, ["memorySwap", "swapBehavior"])) ? [forbidden("memorySwap.swapBehavior")] : []),
  ];
}

function togetherFindings(config: JsonObject, autoSizing: Json | undefined): ObjectFinding[] {
  const { systemReserved, systemReservedCgroup, systemCgroups } = config;
  return [
    ...(autoSizing === true && isSet(systemReserved)
      ? [
          refused(
            `${KUBELET}.systemReserved`,
            "autoSizingReserved and systemReserved exclude each other",
            "keep one of them",
          ),
        ]
      : []),
    ...(isSet(systemReservedCgroup) && isSet(systemCgroups) && systemReservedCgroup !== systemCgroups
      ? [
          refused(
            `${KUBELET}.systemReservedCgroup`,
            "it must be the same as systemCgroups",
            "write the same path",
          ),
        ]
      : []),
  ];
}

function staticPodFindings(config: JsonObject, manifest: Manifest, folders: Folders): ObjectFinding[] {
  const path = config["staticPodPath"];
  if (path === undefined) return [];
  const pool = selectedPools(manifest, folders).find(({ isControlPlane }) => isControlPlane || isSet(path));
  if (pool === undefined) return [];
  return [
    refused(
      `${KUBELET}.staticPodPath`,
      pool.isControlPlane
        ? `the pool ${pool.name} runs the control plane from static pods, so that their path cannot be set`
        : `the pool ${pool.name} can have no path of static pods but the empty one`,
      "leave it out",
      "Forbidden",
    ),
  ];
}

/** Types as the kubelet reads them; a field that it does not know is lost on the way, without a word. */
function shapeFindings(config: JsonObject, schema: SchemaNode): ObjectFinding[] {
  const known = [...schema.properties.keys()];
  const hintFor = (field: string): string => {
    const near = closest(field, known);
    return near === undefined ? "kubelet.config.k8s.io/v1beta1 lists them" : `did you mean ${near}?`;
  };
  const { object, unknown } = prepare(config, schema);
  return [
    ...unknown
      .filter((field) => !/^(?:apiVersion|kind|metadata)(?:\.|$)/.test(field))
      .map(
        (field): ObjectFinding => ({
          code: "KUB004",
          kind: "Invalid",
          severity: "warning",
          field: `${KUBELET}.${field}`,
          message: `the kubelet has no setting ${quote(field)}, so that it would be lost`,
          hint: hintFor(field),
        }),
      ),
    ...checkValue(object, schema, KUBELET).map(({ field, kind, message }) =>
      refused(field, message, "", kind),
    ),
  ];
}
