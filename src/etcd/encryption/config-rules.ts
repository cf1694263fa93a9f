/**
 * Rules of an EncryptionConfiguration, field by field, with the server's own words for what it refuses. Secrets of
 * keys never reach a message.
 */

import type { ErrorKind, Report } from "../../core/diagnostics.js";
import { info, problem, warning } from "../../core/problem.js";
import { closest } from "../../text/closest.js";
import { entryWritten, type MappingNode, type YamlNode } from "../../text/yaml-read.js";
import { parseGroupResource } from "./group-resource.js";
import type { EncryptionKey, KeyedKind, Provider } from "./providers.js";

export interface RuleResource {
  readonly text: string;
  readonly field: string;
  readonly line: number;
  readonly column: number;
}

export interface EncryptionRule {
  /** Where it begins. */
  readonly line: number;
  readonly resources: readonly RuleResource[];
  readonly providers: readonly Provider[];
}

const KINDS = [
  { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" },
  { apiVersion: "v1", kind: "EncryptionConfig" },
];
export const isConfigKind = (apiVersion: string, kind: string): boolean =>
  KINDS.some((each) => each.apiVersion === apiVersion && each.kind === kind);
const PROVIDERS = ["aesgcm", "aescbc", "secretbox", "identity", "kms"] as const;
const KMS_FIELDS = ["apiVersion", "name", "cachesize", "endpoint", "timeout"];
const KEY_SIZES: Readonly<Record<KeyedKind, readonly number[]>> = {
  aesgcm: [16, 24, 32],
  aescbc: [16, 24, 32],
  secretbox: [32],
};
const DURATION = /^[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

/** A place in the configuration: the node that is there, if any, and its path. */
class ConfigPlace {
  constructor(
    readonly node: YamlNode | undefined,
    readonly field: string,
    private readonly owner: YamlNode,
    readonly report: Report,
  ) {}

  /** Where it stands, or would stand. */
  get place(): { readonly line: number; readonly column: number } {
    return this.node ?? this.owner;
  }

  refuse(kind: ErrorKind, message: string, hint = ""): void {
    const { line, column } = this.place;
    this.report(problem("ETC020", kind, this.field, message, { line, column, hint }));
  }

  /** The mapping here, its fields checked against the known ones; undefined when absent, null or something else. */
  mapping(known: readonly string[]): MappingNode | undefined {
    const { node } = this;
    if (node === undefined || isNull(node)) return undefined;
    if (node.type !== "mapping") {
      this.refuse("Invalid", "must be a mapping");
      return undefined;
    }
    for (const { key } of node.entries) {
      if (known.includes(key.text)) continue;
      const near = closest(key.text, known);
      this.report(
        problem("ETC021", "NotSupported", join(this.field, key.text), "unknown field", {
          line: key.line,
          column: key.column,
          hint: near === undefined ? `use one of ${known.join(", ")}` : `did you mean ${near}?`,
        }),
      );
    }
    return node;
  }

  at(name: string): ConfigPlace {
    const found = entryWritten(this.node, name);
    return new ConfigPlace(found?.value, join(this.field, name), this.node ?? this.owner, this.report);
  }

  items(): ConfigPlace[] {
    const { node } = this;
    if (node === undefined || isNull(node)) return [];
    if (node.type !== "sequence") {
      this.refuse("Invalid", "must be a list");
      return [];
    }
    return node.items.map((item, i) => new ConfigPlace(item, `${this.field}[${i}]`, node, this.report));
  }

  /** The text here; empty when absent. A number or boolean is not a text. */
  text(): string {
    const { node } = this;
    if (node === undefined || isNull(node)) return "";
    if (node.type === "scalar" && typeof node.value === "string") return node.value;
    this.refuse("Invalid", "must be a string", "quote the value");
    return "";
  }
}

const join = (field: string, name: string): string => (field === "" ? name : `${field}.${name}`);
const isNull = (node: YamlNode): boolean => node.type === "scalar" && node.value === null;

/** Undefined when the document is not an encryption configuration at all. */
export function readRules(root: YamlNode, report: Report): readonly EncryptionRule[] | undefined {
  const top = new ConfigPlace(root, "", root, report);
  if (isNull(root)) top.refuse("Required", "the document is empty", "add an EncryptionConfiguration");
  const mapping = top.mapping(["apiVersion", "kind", "resources"]);
  if (mapping === undefined) return undefined;
  const apiVersion = top.at("apiVersion").text();
  const kind = top.at("kind").text();
  if (!isConfigKind(apiVersion, kind)) {
    top
      .at("kind")
      .refuse(
        "NotSupported",
        `kind ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)} is not an EncryptionConfiguration`,
        "use apiVersion apiserver.config.k8s.io/v1 and kind EncryptionConfiguration",
      );
    return undefined;
  }
  const resources = top.at("resources");
  const rules = resources.items();
  if (rules.length === 0) resources.refuse("Required", "at least one resources is required");
  const kmsNames = new Set<string>();
  return rules.map((rule) => {
    rule.mapping(["resources", "providers"]);
    return {
      line: rule.place.line,
      resources: readResources(rule.at("resources")),
      providers: readProviders(rule.at("providers"), kmsNames),
    };
  });
}

function readResources(list: ConfigPlace): RuleResource[] {
  const items = list.items();
  if (items.length === 0) list.refuse("Required", `at least one ${list.field} is required`);
  const resources = items.map((item): RuleResource => {
    const text = item.text();
    const fault = resourceFault(text);
    if (fault !== undefined) item.refuse("Invalid", fault);
    return { text, field: item.field, line: item.node?.line ?? 0, column: item.node?.column ?? 0 };
  });
  checkOverlap(
    list,
    resources.map(({ text }) => text),
  );
  return resources;
}

function resourceFault(text: string): string | undefined {
  if (text.toLowerCase() !== text) return "resource name should not contain capital letters";
  if (text === "*")
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (["apiserveripinfo", "serviceipallocations", "servicenodeportallocations"].includes(text))
    return "resources which do not have REST API/s cannot be encrypted";
  const { group, resource } = parseGroupResource(text);
  if (group === "events.k8s.io")
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === "extensions") return "'extensions' group has been removed and cannot be used for encryption";
  if (group === "*" && resource !== "*") return "encrypting the same resource across groups is not supported";
  return undefined;
}

function checkOverlap(list: ConfigPlace, texts: readonly string[]): void {
  const groups = new Map<string, Set<string>>();
  let distinct = 0;
  for (const { group, resource } of texts.map(parseGroupResource)) {
    const known = groups.get(group) ?? new Set();
    if (!known.has(resource)) distinct++;
    groups.set(group, known.add(resource));
  }
  if (distinct < texts.length) list.refuse("Invalid", "the same resource cannot be specified multiple times");
  const isMasked = (among: ReadonlySet<string> | undefined, count: number): boolean =>
    among?.has("*") === true && count > 1;
  const overlaps =
    isMasked(groups.get("*"), distinct) || [...groups.values()].some((each) => isMasked(each, each.size));
  if (overlaps)
    list.refuse(
      "Invalid",
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
    );
}

function readProviders(list: ConfigPlace, kmsNames: Set<string>): Provider[] {
  const items = list.items();
  if (items.length === 0) list.refuse("Required", `at least one ${list.field} is required`);
  return items.flatMap((item) => {
    if (item.mapping(PROVIDERS) === undefined) {
      item.refuse(
        "Invalid",
        "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity",
      );
      return [];
    }
    const present = PROVIDERS.filter((name) => {
      const { node } = item.at(name);
      return node !== undefined && !isNull(node);
    });
    const [kind] = present;
    if (kind === undefined) {
      item.refuse(
        "Invalid",
        "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity",
      );
      return [];
    }
    if (present.length > 1) {
      item.refuse(
        "Invalid",
        "more than one provider specified in a single element, should split into different list elements",
      );
      return [];
    }
    const place = item.at(kind);
    if (kind === "identity") {
      place.mapping([]);
      return [{ kind }];
    }
    return kind === "kms" ? [readKms(place, kmsNames)] : [{ kind, keys: readKeys(place, kind) }];
  });
}

function readKeys(provider: ConfigPlace, kind: KeyedKind): EncryptionKey[] {
  provider.mapping(["keys"]);
  const list = provider.at("keys");
  const items = list.items();
  if (items.length === 0) list.refuse("Required", "at least one keys is required");
  return items.map((item) => {
    item.mapping(["name", "secret"]);
    const name = item.at("name").text();
    if (name === "") item.at("name").refuse("Required", "name is a mandatory field for a key");
    return { name, secret: readSecret(item.at("secret"), KEY_SIZES[kind]) };
  });
}

function readSecret(place: ConfigPlace, sizes: readonly number[]): Buffer {
  const text = place.text().replace(/[\r\n]/g, "");
  const nothing = Buffer.alloc(0);
  if (text === "") {
    place.refuse("Required", "secret is a mandatory field for a key");
    return nothing;
  }
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) {
    place.refuse("Invalid", "REDACTED: secrets must be base64 encoded");
    return nothing;
  }
  const secret = Buffer.from(text, "base64");
  if (!sizes.includes(secret.length))
    place.refuse(
      "Invalid",
      `REDACTED: secret is not of the expected length, got ${secret.length}, expected one of [${sizes.join(" ")}]`,
    );
  return secret;
}

function readKms(place: ConfigPlace, names: Set<string>): Provider {
  place.mapping(KMS_FIELDS);
  const version = place.at("apiVersion").text() || "v1";
  if (version !== "v1" && version !== "v2")
    place
      .at("apiVersion")
      .refuse("Invalid", "unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported");
  const name = place.at("name").text();
  if (name === "") place.at("name").refuse("Required", "name is a mandatory field for a provider");
  if (version !== "v1" && name.includes(":"))
    place.at("name").refuse("Invalid", `invalid KMS provider name ${name}, must not contain ':'`);
  if (names.has(name))
    if (version !== "v1")
      place.at("name").refuse("Invalid", `duplicate KMS provider name ${name}, names must be unique`);
    else
      place.report(
        warning(
          problem(
            "ETC026",
            "Duplicate",
            place.at("name").field,
            `duplicate KMS provider name ${name}: rejected when the configuration is reloaded automatically`,
            {
              line: place.at("name").node?.line ?? 0,
              column: place.at("name").node?.column ?? 0,
              hint: "use a unique name for each provider",
            },
          ),
        ),
      );
  names.add(name);
  if (version === "v1") {
    const { line, column } = place.place;
    place.report(
      info(
        problem(
          "ETC026",
          "NotSupported",
          place.field,
          "KMS v1 is deprecated; API servers from 1.29 start with it only if feature gate KMSv1 is enabled",
          { line, column, hint: "encrypt with KMS v2, and keep v1 until no stored value needs it" },
        ),
      ),
    );
  }
  checkKmsNumbers(place, version);
  return { kind: "kms", version: version === "v2" ? "v2" : "v1", name };
}

function checkKmsNumbers(place: ConfigPlace, version: string): void {
  const endpoint = place.at("endpoint");
  const url = endpoint.text();
  const scheme = /^([A-Za-z][-+.A-Za-z0-9]*):/.exec(url)?.[1]?.toLowerCase() ?? "";
  if (url === "") endpoint.refuse("Required", "endpoint is a mandatory field for a kms");
  else if (scheme !== "unix")
    endpoint.refuse(
      "Invalid",
      `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`,
    );
  else if (/%(?![0-9A-Fa-f]{2})/.test(url))
    endpoint.refuse(
      "Invalid",
      "invalid endpoint for kms provider: a % is not followed by two hexadecimal digits",
    );
  const timeout = place.at("timeout");
  const wait = timeout.text();
  if (wait !== "" && !DURATION.test(wait)) timeout.refuse("Invalid", "must be a duration such as 3s");
  else if (wait !== "" && (wait.startsWith("-") || !/[1-9]/.test(wait)))
    timeout.refuse("Invalid", "timeout should be a positive value");
  const cache = place.at("cachesize");
  const { node } = cache;
  if (node === undefined || isNull(node)) return;
  if (node.type !== "scalar" || typeof node.value !== "number" || !Number.isInteger(node.value))
    cache.refuse("Invalid", "must be an integer");
  else if (Math.abs(node.value) >= 2 ** 31) cache.refuse("Invalid", "must be a 32-bit integer");
  else if (version !== "v1") cache.refuse("Invalid", "cachesize is not supported in v2");
  else if (node.value === 0)
    cache.refuse("Invalid", "cachesize should be a positive value, or negative to disable");
}
