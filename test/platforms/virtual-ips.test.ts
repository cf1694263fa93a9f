/** Virtual IPs and user-managed load balancers: each rule broken alone, by what two platforms ask of them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../src/core/diagnostics.js";
import {
  gatedDnsRecords,
  ipv4First,
  upconvertVirtualIps,
  type VirtualIpRules,
  type VirtualIpSection,
  validateVirtualIps,
  virtualIpBlock,
  virtualIpStatus,
} from "../../src/platforms/virtual-ips.js";
import { CONFIG } from "../helpers/infrastructure.js";
import { releaseOf } from "../helpers/install-configs.js";

const FIELD = "platform.moon";
const STRICT: VirtualIpRules = { field: FIELD, required: true, inMachineNetwork: true };
const LENIENT: VirtualIpRules = { field: FIELD, required: false, inMachineNetwork: false };

const V4 = { machineNetwork: [{ cidr: "10.0.0.0/16" }], serviceNetwork: ["172.30.0.0/16"] };
const BOTH = {
  machineNetwork: [{ cidr: "10.0.0.0/16" }, { cidr: "fd00:1::/64" }],
  clusterNetwork: [
    { cidr: "10.128.0.0/14", hostPrefix: 23 },
    { cidr: "fd01::/48", hostPrefix: 64 },
  ],
  serviceNetwork: ["172.30.0.0/16", "fd02::/112"],
};
const BOTH_V6_MACHINES = { ...BOTH, machineNetwork: [{ cidr: "fd00:1::/64" }, { cidr: "10.0.0.0/16" }] };

interface Case {
  readonly section: VirtualIpSection;
  readonly rules?: VirtualIpRules;
  readonly networking?: typeof V4 | typeof BOTH;
  readonly release?: string;
}

function faults({ section, rules = STRICT, networking = V4, release = "4.22" }: Case): string[] {
  const { report, diagnostics } = createReporter();
  const config = { ...CONFIG, networking: { ...CONFIG.networking, ...networking } };
  validateVirtualIps(section, config, rules, { release: releaseOf(release), report });
  const told = diagnostics.map(
    ({ severity, kind, field }) =>
      `${severity === "error" ? "" : `${severity}: `}${kind} ${field.replace(FIELD, "")}`,
  );
  return [...new Set(told)].sort();
}

const PAIR = { apiVIPs: ["10.0.0.5"], ingressVIPs: ["10.0.0.7"] };
const USER = { loadBalancer: { type: "UserManaged" } };

const CASES: Readonly<Record<string, readonly [Case, readonly string[]]>> = {
  "one of each": [{ section: PAIR }, []],
  "none, where they are needed": [{ section: {} }, ["Required .apiVIPs", "Required .ingressVIPs"]],
  "none, where they are not": [{ section: {}, rules: LENIENT }, []],
  "of the API alone": [{ section: { apiVIPs: ["10.0.0.5"] }, rules: LENIENT }, ["Required .ingressVIPs"]],
  "of the ingress alone": [{ section: { ingressVIPs: ["10.0.0.5"] }, rules: LENIENT }, ["Required .apiVIPs"]],
  "three of the API, which count for nothing": [
    { section: { apiVIPs: ["10.0.0.5", "10.0.0.6", "10.0.0.8"] }, rules: LENIENT },
    ["TooMany .apiVIPs"],
  ],
  "three that are no addresses, to be ordered": [
    { section: { ...PAIR, apiVIPs: ["a", "b", "c"] }, rules: { ...LENIENT, ordered: true } },
    ["Invalid .apiVIPs", "TooMany .apiVIPs"],
  ],
  "three of one family, to be ordered": [
    {
      section: { ...PAIR, apiVIPs: ["10.0.0.5", "10.0.0.6", "10.0.0.8"] },
      rules: { ...LENIENT, ordered: true },
    },
    ["TooMany .apiVIPs"],
  ],
  "no address": [{ section: { ...PAIR, apiVIPs: ["10.0.0.500"] }, rules: LENIENT }, ["Invalid .apiVIPs"]],
  "the same one twice": [{ section: { ...PAIR, apiVIPs: ["10.0.0.7"] } }, ["Invalid .apiVIPs"]],
  "the same one in another spelling": [
    { section: { ...PAIR, apiVIPs: ["::ffff:10.0.0.7"] }, rules: LENIENT },
    ["Invalid .apiVIPs"],
  ],
  "the same one of a load balancer of the user's": [
    { section: { ...PAIR, apiVIPs: ["10.0.0.7"], ...USER } },
    [],
  ],
  "outside the machine network": [
    { section: { apiVIPs: ["10.1.0.5"], ingressVIPs: ["10.2.0.7"] } },
    ["Invalid .apiVIPs", "Invalid .ingressVIPs"],
  ],
  "outside, where nobody asks": [
    { section: { apiVIPs: ["10.1.0.5"], ingressVIPs: ["10.2.0.7"] }, rules: LENIENT },
    ["warning: Invalid .apiVIPs", "warning: Invalid .ingressVIPs"],
  ],
  "outside, behind a load balancer of the user's": [
    { section: { apiVIPs: ["10.1.0.5"], ingressVIPs: ["10.2.0.7"], ...USER } },
    [],
  ],
  "two of one family": [
    { section: { ...PAIR, ingressVIPs: ["10.0.0.7", "10.0.0.8"] } },
    ["Invalid .ingressVIPs"],
  ],
  "two, one of them no address": [
    { section: { ...PAIR, ingressVIPs: ["10.0.0.7", "x"] } },
    ["Invalid ", "Invalid .ingressVIPs"],
  ],
  "two, one of them no address, in 4.19": [
    { section: { ...PAIR, ingressVIPs: ["10.0.0.7", "x"] }, release: "4.19" },
    ["Invalid .ingressVIPs"],
  ],
  "both families": [
    {
      section: { apiVIPs: ["10.0.0.5", "fd00:1::5"], ingressVIPs: ["10.0.0.7", "fd00:1::7"] },
      networking: BOTH,
    },
    [],
  ],
  "the other family first": [
    {
      section: { apiVIPs: ["fd00:1::5", "10.0.0.5"], ingressVIPs: ["10.0.0.7", "fd00:1::7"] },
      networking: BOTH,
    },
    ["Invalid .apiVIPs"],
  ],
  "the other family first, in 4.19": [
    {
      section: { apiVIPs: ["fd00:1::5", "10.0.0.5"], ingressVIPs: ["10.0.0.7", "fd00:1::7"] },
      networking: BOTH,
      release: "4.19",
    },
    [],
  ],
  "one, of the machine networks' first family alone, in 4.19": [
    {
      section: { apiVIPs: ["10.0.0.5"], ingressVIPs: ["fd00:1::7"] },
      networking: BOTH_V6_MACHINES,
      release: "4.19",
    },
    ["Invalid .apiVIPs"],
  ],
  "one, of the machine networks' first family alone": [
    { section: { apiVIPs: ["10.0.0.5"], ingressVIPs: ["fd00:1::7"] }, networking: BOTH_V6_MACHINES },
    ["Invalid .apiVIPs", "Invalid .ingressVIPs"],
  ],
  "no such load balancer": [
    { section: { ...PAIR, loadBalancer: { type: "Classic" } } },
    ["Invalid .loadBalancer.type"],
  ],
  "a load balancer without a type": [
    { section: { ...PAIR, loadBalancer: {} } },
    ["Invalid .loadBalancer.type"],
  ],
  "external records without a load balancer of the user's": [
    { section: { ...PAIR, dnsRecordsType: "External" } },
    ["Invalid .dnsRecordsType"],
  ],
  "external records with one": [{ section: { ...PAIR, ...USER, dnsRecordsType: "External" } }, []],
  "records of no kind": [
    { section: { ...PAIR, dnsRecordsType: "Public" } },
    ["warning: NotSupported .dnsRecordsType"],
  ],
};

const test = suite("virtual IPs");

for (const [name, [given, expected]] of Object.entries(CASES))
  test(name, () => assert.equal(faults(given), expected));

test("old spellings become lists and stay; one that is not in the list contradicts it", () => {
  const run = (section: VirtualIpSection) => {
    const { report, diagnostics } = createReporter();
    const next = upconvertVirtualIps(section, FIELD, { release: releaseOf("4.22"), report });
    return [next, diagnostics.map(({ code, kind, field }) => `${code} ${kind} ${field}`)];
  };
  assert.equal(run({ apiVIP: "10.0.0.5", ingressVIPs: ["10.0.0.7"] }), [
    { apiVIP: "10.0.0.5", apiVIPs: ["10.0.0.5"], ingressVIPs: ["10.0.0.7"] },
    ["IC102 Invalid platform.moon.apiVIP"],
  ]);
  assert.equal(run({ ingressVIP: "10.0.0.7", ingressVIPs: ["10.0.0.7", "fd00::7"] }), [
    { ingressVIP: "10.0.0.7", ingressVIPs: ["10.0.0.7", "fd00::7"] },
    ["IC102 Invalid platform.moon.ingressVIP"],
  ]);
  assert.equal(run({ apiVIP: "10.0.0.5", apiVIPs: ["10.0.0.6"] }), [
    undefined,
    ["IC103 Invalid platform.moon.apiVIPs"],
  ]);
});

test("order, blocks, status and the gate", () => {
  assert.equal(ipv4First(["fd00::5", "10.0.0.5"]), ["10.0.0.5", "fd00::5"]);
  assert.equal(ipv4First(["10.0.0.6", "10.0.0.5"]), ["10.0.0.6", "10.0.0.5"]);
  assert.equal(["10.0.0.5", "fd00::5"].map(virtualIpBlock), ["10.0.0.5/32", "fd00::5/128"]);
  assert.equal(virtualIpStatus({ ...PAIR, ...USER, dnsRecordsType: "Internal" }, { singular: true }), {
    apiServerInternalIP: "10.0.0.5",
    ingressIP: "10.0.0.7",
    apiServerInternalIPs: ["10.0.0.5"],
    ingressIPs: ["10.0.0.7"],
    loadBalancer: { type: "UserManaged" },
    dnsRecordsType: "Internal",
  });
  assert.equal(virtualIpStatus(PAIR, { singular: false }), {
    apiServerInternalIPs: ["10.0.0.5"],
    ingressIPs: ["10.0.0.7"],
  });
  assert.equal(gatedDnsRecords({ dnsRecordsType: "External" }, FIELD), [
    { gate: "OnPremDNSRecords", field: "platform.moon.dnsRecordsType" },
  ]);
  assert.equal(gatedDnsRecords({ dnsRecordsType: "Internal" }, FIELD), []);
});

test.run();
