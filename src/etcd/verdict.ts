/**
 * What becomes of a stored object in a release: by the servers that exist, and by the table of KEP-3166 that was never
 * merged (docs/reference/storage-and-encryption.md §4.4).
 */
import { isSince } from "../core/by-release.js";
import { addMinors, compareMinors } from "../core/minor.js";
import { behavesSince, exitHook } from "../kubernetes/behavior.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { builtInBehaviors } from "../storage/kubernetes.js";
import type { Absence, Cluster, Definition } from "./cluster.js";
import type { Resource } from "./key-layout.js";
import { MISPLACED, type ObjectTable, ODDITY } from "./object-table.js";
import {
  findVersion,
  isRegistered,
  isServedByDefault,
  type Minor,
  releaseName,
  servedVersion,
  storageVersion,
} from "./releases.js";

/**
 * `ok`: stored as the release stores it. `rewritten`: readable, and in another version after the next write.
 * `unreadable`: no server with this configuration reads it. `fails-list`: the release cannot decode it, and so lists
 * nothing of its resource. `misplaced`: readable, and not the object that its key is asked for as. `unwritable`: decoded, and cannot be written as
 * JSON. `not-served`: no API of the release shows it, the key stays. `orphaned`: its definition is
 * gone. `unknown`: of another API server, of no known resource, or of one whose definition is not in what was given.
 */
export type ServerVerdict =
  | "ok"
  | "rewritten"
  | "unreadable"
  | "fails-list"
  | "misplaced"
  | "unwritable"
  | "not-served"
  | "orphaned"
  | "unknown"
  | "not-an-object";

/** The behaviours of the KEP; `forbidden`: a state that its server must not let arise. */
export type KepVerdict =
  | "preferred"
  | "supported"
  | "actively-migrated"
  | "ignored"
  | "forbidden"
  | "unreadable"
  | "unknown"
  | "not-an-object";

export interface ObjectVerdict {
  readonly server: ServerVerdict;
  readonly kep3166: KepVerdict;
  /** Why, in a sentence. */
  readonly reason: string;
  /** The decoder's words where the release cannot decode the object. */
  readonly error?: string;
  /** Why an API server exits over it. */
  readonly exits?: string;
}

const plain = (server: ServerVerdict, kep3166: KepVerdict, reason: string): ObjectVerdict => ({
  server,
  kep3166,
  reason,
});

const NOT_AN_OBJECT = plain("not-an-object", "not-an-object", "the key is not below a prefix of Kubernetes");
const UNKNOWN = plain(
  "unknown",
  "unknown",
  "the resource is unknown to kube-apiserver; another API server may own it",
);
const FOREIGN = plain(
  "unknown",
  "unknown",
  "the resource is owned by an API server of OpenShift, which slipway does not model",
);
const ORPHANED = plain(
  "orphaned",
  "ignored",
  "no definition of this resource is stored: no API serves the object, and its key remains in etcd",
);

const WITHOUT_DEFINITION: Readonly<Record<Absence, ObjectVerdict>> = {
  gone: ORPHANED,
  unread: plain("unknown", "unknown", "the definition of this resource is stored but cannot be read"),
  unknown: plain(
    "unknown",
    "unknown",
    "the copies do not show whether a definition of this resource is stored",
  ),
};

/** Releases from which on a server reads CBOR, whatever its gates say. */
const READS_CBOR = behavesSince("readsCbor");
export const KEP_MAX_UP = 4;
export const KEP_MAX_DOWN = 1;

/** Seen on a running kube-apiserver 1.37.2. */
const MISPLACED_EFFECT = "writing it is rejected, so that a migration of the resource fails";
const NAMELESS_EFFECT =
  "the watch cache of the resource cannot be filled, so that a restarted API server does not become ready and a migration of the resource fails";

/**
 * Seen on a running kube-apiserver 1.37.2 (k8s.io/apiextensions-apiserver pkg/apiserver/customresource_handler.go,
 * unstructuredSchemaCoercer.apply).
 */
const BARE_EFFECT = "an API server exits when it reads it, at the first GET, LIST or DELETE of the resource";

const UNWRITABLE =
  "API servers can decode the object but cannot write it as JSON: GET and LIST by kubectl return 500; an ordinary DELETE removes it";

/** Answers verdicts for one release; equal questions give the same object. */
export class Judge {
  private readonly known = new Map<string, ObjectVerdict>();

  constructor(
    private readonly cluster: Cluster,
    readonly target: Minor,
    /** The release that wrote the copy, where it is known. */
    readonly from: Minor | undefined = undefined,
  ) {}

  /** True for an object that the target cannot decode and the release that wrote the copy can. */
  survivesOnlyBefore(table: ObjectTable, row: number): boolean {
    const { from, target } = this;
    const { builtIn } = table.resourceOf(row);
    const apiVersion = table.apiVersion(row);
    if (
      from === undefined ||
      compareMinors(from, target) >= 0 ||
      builtIn === undefined ||
      apiVersion === undefined
    )
      return false;
    if (this.of(table, row).server !== "fails-list") return false;
    const version = findVersion(builtIn, apiVersion);
    return version !== undefined && isRegistered(version, from);
  }

  /** The verdict for a row of the table. */
  of(table: ObjectTable, row: number): ObjectVerdict {
    const result = table.result(row);
    const resource = table.resourceOf(row);
    if (result === "not-an-object") return NOT_AN_OBJECT;
    if (result !== "ok") return this.unreadableAt(table, row, result, resource);
    const parts = resource.family === "custom" ? table.restOf(row).length : 0;
    const place = table.oddity(row) & (MISPLACED | ODDITY.unwritable | ODDITY.bare);
    const id = `${table.resourceNumber(row)} ${table.typeNumber(row)} ${table.mediaOf(row)} ${parts} ${place}`;
    return this.remember(id, () =>
      inItsPlace(
        place,
        this.outsideAssumptions(
          this.readable(
            resource,
            table.apiVersion(row),
            table.kind(row),
            table.mediaOf(row) === "cbor",
            parts,
          ),
        ),
      ),
    );
  }

  private remember(id: string, make: () => ObjectVerdict): ObjectVerdict {
    const found = this.known.get(id) ?? make();
    this.known.set(id, found);
    return found;
  }

  private unreadableAt(table: ObjectTable, row: number, result: string, resource: Resource): ObjectVerdict {
    const { builtIn } = resource;
    const name = table.restOf(row).at(-1) ?? "";
    const hook =
      builtIn === undefined ? undefined : exitHook(this.target, builtIn.group, resource.resource, name);
    return this.remember(`${result} ${table.resourceNumber(row)} ${hook ?? ""}`, () => {
      const verdict = this.unreadable(resource);
      return hook === undefined || verdict.server !== "unreadable"
        ? verdict
        : {
            ...verdict,
            exits: `an API server that is started exits: PostStartHook ${JSON.stringify(hook)} fails`,
          };
    });
  }

  private unreadable(resource: Resource): ObjectVerdict {
    if (
      resource.builtIn !== undefined &&
      resource.builtIn.internal !== true &&
      servedVersion(resource.builtIn, this.target) === undefined
    )
      return plain(
        "not-served",
        "unreadable",
        `${releaseName(this.target)} does not serve the resource; its key remains in etcd`,
      );
    if (
      resource.family === "custom" &&
      this.cluster.definition(resource.group, resource.resource) === undefined &&
      this.cluster.withoutDefinition(resource) === "gone"
    )
      return plain(
        "orphaned",
        "unreadable",
        "no definition of this resource is stored, and the value cannot be read",
      );
    return plain("unreadable", "unreadable", "the value cannot be decrypted or decoded");
  }

  private readable(
    resource: Resource,
    apiVersion: string | undefined,
    kind: string | undefined,
    cbor: boolean,
    parts: number,
  ): ObjectVerdict {
    switch (resource.family) {
      case "builtin":
        return this.builtIn(resource, apiVersion, kind);
      case "custom":
        return this.custom(resource, apiVersion ?? "", cbor, parts);
      case "foreign":
        return FOREIGN;
      default:
        return UNKNOWN;
    }
  }

  private builtIn(
    { builtIn }: Resource,
    apiVersion: string | undefined,
    kind: string | undefined,
  ): ObjectVerdict {
    if (builtIn === undefined) return UNKNOWN;
    const { target } = this;
    const name = releaseName(target);
    const served = servedVersion(builtIn, target);
    if (builtIn.internal !== true && served === undefined)
      return plain(
        "not-served",
        kepBehaviour(builtIn.resource, apiVersion ?? "", target, "ignored").kep,
        `${name} does not serve ${builtIn.resource}; the key remains in etcd and no API serves it`,
      );
    if (apiVersion === undefined)
      return plain("rewritten", "preferred", "the value has no version; the API server assumes its own");
    const stored = storageVersion(builtIn, target);
    if (stored === apiVersion)
      return plain(
        "ok",
        builtIn.internal === true ? "preferred" : kepBehaviour(builtIn.resource, apiVersion, target).kep,
        `${name} stores ${builtIn.resource} as ${apiVersion}`,
      );
    const version = findVersion(builtIn, apiVersion);
    if (version !== undefined && isRegistered(version, target)) {
      const reason = `${name} reads ${apiVersion} and writes ${stored ?? "another version"}`;
      const { kep, counted } = kepBehaviour(builtIn.resource, apiVersion, target);
      return plain("rewritten", kep, reason + counted);
    }
    const until =
      version?.last === undefined
        ? "no known release decodes it"
        : `the last release that decodes it is ${version.last}`;
    const enabled =
      served !== undefined && !isServedByDefault(served, target)
        ? `, if --runtime-config enables ${served.apiVersion}`
        : "";
    return {
      server: "fails-list",
      kep3166: "ignored",
      reason: `${name} cannot decode ${apiVersion}; ${until}. GET returns 500 and every LIST of ${builtIn.resource} fails${enabled}`,
      error: `no kind ${JSON.stringify(kind ?? "")} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    };
  }

  private custom(resource: Resource, apiVersion: string, cbor: boolean, parts: number): ObjectVerdict {
    const definition = this.cluster.definition(resource.group, resource.resource);
    if (definition === undefined) return WITHOUT_DEFINITION[this.cluster.withoutDefinition(resource)];
    if (parts !== (definition.namespaced ? 2 : 1))
      return plain(
        "orphaned",
        "ignored",
        `the key was written when the resource was ${definition.namespaced ? "cluster-scoped" : "namespaced"}: no API serves the object`,
      );
    if (cbor && !isSince(this.target, READS_CBOR))
      return {
        server: "fails-list",
        kep3166: "ignored",
        reason: `the value is CBOR, which API servers before ${READS_CBOR} cannot read`,
        error: "invalid character looking for beginning of value",
      };
    return customVersion(definition, apiVersion);
  }

  /** A jump that the KEP does not allow for gets no promise from it. */
  private outsideAssumptions(verdict: ObjectVerdict): ObjectVerdict {
    const { from, target } = this;
    if (
      from === undefined ||
      (compareMinors(target, addMinors(from, KEP_MAX_UP)) <= 0 &&
        compareMinors(target, addMinors(from, -KEP_MAX_DOWN)) >= 0)
    )
      return verdict;
    if (
      verdict.kep3166 === "preferred" ||
      verdict.kep3166 === "supported" ||
      verdict.kep3166 === "actively-migrated"
    )
      return {
        ...verdict,
        kep3166: "unknown",
        reason: `${verdict.reason}. KEP-3166 does not cover the step from ${releaseName(from)} to ${releaseName(target)} (at most ${KEP_MAX_UP} up, ${KEP_MAX_DOWN} down)`,
      };
    return verdict;
  }
}

/** An object that reads is still none that anybody can work with when it says that it is another one. */
function inItsPlace(place: number, verdict: ObjectVerdict): ObjectVerdict {
  if (place === 0 || (verdict.server !== "ok" && verdict.server !== "rewritten")) return verdict;
  if ((place & MISPLACED) === 0) return { ...verdict, server: "unwritable", reason: UNWRITABLE };
  const reason =
    (place & ODDITY.bare) !== 0
      ? `the object has no metadata: ${BARE_EFFECT}`
      : (place & ODDITY.nameless) !== 0
        ? `the object has no name or no namespace: ${NAMELESS_EFFECT}`
        : `metadata.${(place & ODDITY.otherName) !== 0 ? "name" : "namespace"} differs from the etcd key: ${MISPLACED_EFFECT}`;
  return {
    ...verdict,
    server: "misplaced",
    reason,
    ...((place & ODDITY.bare) === 0 ? {} : { exits: BARE_EFFECT }),
  };
}

function customVersion(definition: Definition, apiVersion: string): ObjectVerdict {
  const { group, versions, name } = definition;
  const slash = apiVersion.indexOf("/");
  const version = versions.find((each) => `${group}/${each.name}` === apiVersion);
  if (version === undefined)
    return {
      server: "fails-list",
      kep3166: "forbidden",
      reason: `${slash < 0 ? JSON.stringify(apiVersion) : apiVersion} is not in spec.versions of ${name}: every LIST of the resource fails`,
      error: `request to convert CR from an invalid group/version: ${apiVersion}`,
    };
  if (version.storage) return plain("ok", "preferred", `${apiVersion} is the storage version of ${name}`);
  const how =
    definition.conversion === "Webhook"
      ? "is decoded; the webhook conversion is not checked"
      : "is converted when read";
  return plain("rewritten", "actively-migrated", `${apiVersion} ${how} and written as the storage version`);
}

/** The design's behaviour of a built-in version, and what it is counted from; `otherwise` where no table has it. */
function kepBehaviour(
  resource: string,
  apiVersion: string,
  target: Minor,
  otherwise: KepVerdict = "supported",
): { kep: KepVerdict; counted: string } {
  const { group, version } = parseApiVersion(apiVersion);
  const row = builtInBehaviors(group, resource, version);
  const kep = row?.behaviors.get(releaseName(target)) ?? otherwise;
  const clock = row?.clock === undefined ? "nothing, as it is not deprecated" : `from ${row.clock}`;
  return { kep, counted: kep === "preferred" ? "" : `; KEP-3166 counts ${clock}` };
}
