/** Identity of a cluster: infrastructure ID and cluster ID (docs/reference/install-config-and-manifests.md §4). */

import { counted } from "../core/counted.js";
import type { RandomSource } from "../core/inputs.js";
import { type Problem, problem, warning } from "../core/problem.js";
import { sample } from "../core/sample.js";
import { withoutEnd } from "../core/trim.js";
import type { Identity } from "../platforms/platform.js";

/** What the command line fixes; absent members are drawn. */
export interface IdentityOptions {
  readonly infraID?: string | undefined;
  readonly clusterID?: string | undefined;
}

const MAX_LENGTH = 27;
const RANDOM_LENGTH = 5;
const MAX_NAME = MAX_LENGTH - RANDOM_LENGTH - 1;
/** Kubernetes' alphabet for random names: no vowels and no look-alikes, so that no word comes up. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/**
 * The identity of a new cluster. What is given is checked and taken as it is; the rest is drawn from `random`.
 * Undefined when something given cannot be used.
 */
export function createIdentity(
  name: string,
  given: IdentityOptions,
  random: RandomSource,
  report: (problem: Problem) => void,
): Identity | undefined {
  const problems = checkIdentity(given);
  problems.forEach(report);
  if (problems.length > 0) return undefined;
  const { infraID, clusterID } = given;
  if (infraID === undefined && base(name).length > MAX_NAME)
    report(
      warning(
        "ID003",
        "TooLong",
        "metadata.name",
        `the infrastructure name uses only the first ${MAX_NAME} characters of the cluster name`,
        `use a name of at most ${MAX_NAME} characters, or set --infra-id`,
      ),
    );
  return {
    infraID: infraID ?? infraIDOf(name, random),
    clusterID: clusterID?.toLowerCase() ?? uuidOf(random.bytes(16, "cluster-id")),
  };
}

/**
 * What is wrong with a given identity. The infrastructure ID names a namespace and cloud resources, so it is a DNS
 * label; resources that put a suffix to it leave room for 27 characters.
 */
export function checkIdentity({ infraID, clusterID }: IdentityOptions): Problem[] {
  const problems: Problem[] = [];
  if (infraID !== undefined && infraID.length > MAX_LENGTH)
    problems.push(
      problem(
        "ID001",
        "TooLong",
        "infraID",
        `the infrastructure name has ${counted(infraID.length, "character")}; must have at most ${MAX_LENGTH}`,
        `use at most ${MAX_LENGTH} characters`,
      ),
    );
  else if (infraID !== undefined && !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(infraID))
    problems.push(
      problem(
        "ID001",
        "Invalid",
        "infraID",
        `invalid infrastructure name ${JSON.stringify(infraID)}`,
        "use lowercase letters, digits and '-', and start and end with a letter or digit",
      ),
    );
  if (clusterID !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(clusterID))
    problems.push(
      problem(
        "ID002",
        "Invalid",
        "clusterID",
        `invalid value ${JSON.stringify(clusterID)}: must be a UUID`,
        "use hexadecimal digits in groups of 8-4-4-4-12",
      ),
    );
  return problems;
}

/** The name with everything but letters and digits as single dashes, cut, and five random characters. */
export function infraIDOf(name: string, random: RandomSource): string {
  const start = withoutEnd(base(name).slice(0, MAX_NAME), "-");
  return `${start}-${sample(random, ALPHABET, RANDOM_LENGTH, "infra-id")}`;
}

const base = (name: string): string => name.replace(/[^A-Za-z0-9-]/g, "-").replace(/-{2,}/g, "-");

/** The UUID of version 4 that 16 random bytes are (RFC 9562 §5.4). */
export function uuidOf(random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
