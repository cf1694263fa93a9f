import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  BlockIndex,
  type Cidr,
  contains,
  effectivePrefix,
  formatAddress,
  formatCidr,
  formatMac,
  isV4,
  NO_CIDR,
  networkFault,
  networkOf,
  overlap,
  parseAddress,
  parseCidr,
  parseMac,
} from "../../src/kubernetes/network.js";
import { runs } from "../helpers/runs.js";

const cidr = (text: string) => {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};

test("addresses are read strictly and printed in one form", () => {
  const printed: readonly [text: string, form: string | undefined][] = [
    ["10.0.0.1", "10.0.0.1"],
    ["010.0.0.1", undefined],
    ["10.0.0", undefined],
    ["10.0.0.256", undefined],
    [" 10.0.0.1", undefined],
    ["::", "::"],
    ["::1", "::1"],
    ["FD00:0:0:1::", "fd00:0:0:1::"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["::ffff:0a01:0203", "10.1.2.3"],
    ["1:2:3:4:5:6:7.8.9.10", "1:2:3:4:5:6:708:90a"],
    ["fe80::1%eth0", undefined],
    ["1:2:3:4:5:6:7:8:9", undefined],
    ["", undefined],
  ];
  for (const [text, form] of printed) {
    const address = parseAddress(text);
    assert.is(address === undefined ? undefined : formatAddress(address), form, text);
  }
});

test("what is printed is read again as the same address", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const address = parseAddress(text);
      if (address === undefined) throw new Error(`${text} is not read`);
      assert.equal(parseAddress(formatAddress(address)), address);
    }),
  );
});

test("blocks keep their host bits", () => {
  const forms: readonly [text: string, form: string | undefined][] = [
    ["10.1.2.3/16", "10.1.2.3/16"],
    ["10.0.0.0/016", "10.0.0.0/16"],
    ["10.0.0.0/33", undefined],
    ["10.0.0.0/", undefined],
    ["10.0.0.0/-1", undefined],
    ["10.0.0.0", undefined],
    ["fd00::/129", undefined],
    ["FD00::1/48", "fd00::1/48"],
    ["::ffff:10.20.0.0/112", "10.20.0.0/16"],
  ];
  for (const [text, form] of forms) {
    const parsed = parseCidr(text);
    assert.is(parsed === undefined ? undefined : formatCidr(parsed), form, text);
  }
  assert.is(formatCidr(networkOf(cidr("10.1.2.3/15"))), "10.0.0.0/15");
  assert.is(formatCidr(networkOf(cidr("fd00::ffff/120"))), "fd00::ff00/120");
});

test("an IPv4 block inside IPv6 is IPv4 with a long mask", () => {
  const mapped = cidr("::ffff:10.20.0.0/112");
  assert.is(isV4(mapped), true);
  assert.is(mapped.prefix, 112);
  assert.is(effectivePrefix(mapped), 16);
  assert.ok(contains(mapped, [10, 20, 255, 1]));
  assert.is(networkFault(cidr("::ffff:10.20.0.0/90")), "host-bits");
});

test("what is not a network is told", () => {
  assert.is(networkFault(cidr("10.0.0.0/8")), undefined);
  assert.is(networkFault(cidr("10.0.0.1/8")), "host-bits");
  assert.is(networkFault(cidr("0.0.0.0/0")), "unspecified");
  assert.is(networkFault(cidr("::/8")), "unspecified");
  assert.is(networkFault(NO_CIDR), undefined);
});

test("blocks overlap when one lies in the other", () => {
  const pairs: readonly [string, string, boolean][] = [
    ["10.0.0.0/8", "10.20.0.0/16", true],
    ["10.20.0.0/16", "10.0.0.0/8", true],
    ["10.0.0.0/9", "10.128.0.0/9", false],
    ["fd00::/48", "fd00:0:0:1::/64", true],
    ["0.0.0.0/0", "fd00::/48", false],
    ["10.0.0.0/32", "10.0.0.0/32", true],
  ];
  for (const [a, b, expected] of pairs) assert.is(overlap(cidr(a), cidr(b)), expected, `${a} ${b}`);
  assert.is(overlap(NO_CIDR, cidr("10.0.0.0/8")), false);
  assert.is(overlap(NO_CIDR, NO_CIDR), true, "as in Go");
});

test("an index finds the first blocks that a block overlaps, as a look at each does", () => {
  const texts = ["10.0.0.0", "10.0.0.1", "10.0.128.0", "::", "fd00::", "fd00:0:0:1::", "::ffff:10.0.0.0"];
  const block = fc
    .record({ text: fc.constantFrom(...texts), prefix: fc.constantFrom(0, 8, 17, 32, 48, 96, 112, 128) })
    .map(({ text, prefix }): Cidr => parseCidr(`${text}/${prefix}`) ?? NO_CIDR);
  fc.assert(
    fc.property(fc.array(block, { maxLength: 24 }), fc.integer({ min: 1, max: 6 }), (blocks, most) => {
      const index = new BlockIndex(new Set(blocks.map(effectivePrefix)), most);
      for (const [i, each] of blocks.entries()) {
        const expected = blocks
          .slice(0, i)
          .flatMap((cidr, place) => (overlap(each, cidr) ? [{ place, cidr }] : []));
        assert.equal(index.overlapping(each), expected.slice(0, most));
        index.add(each);
      }
    }),
    { numRuns: runs(500) },
  );
});

test("MAC addresses in every notation", () => {
  const forms: readonly [string, string | undefined][] = [
    ["52:54:00:AA:bb:cc", "52:54:00:aa:bb:cc"],
    ["52-54-00-aa-bb-cc", "52:54:00:aa:bb:cc"],
    ["5254.00aa.bbcc", "52:54:00:aa:bb:cc"],
    ["525400aabbcc", "52:54:00:aa:bb:cc"],
    ["52:54:00:aa:bb", undefined],
    ["52:54:00:aa:bb-cc", undefined],
    ["52:54:00:aa:bb:cc:dd:ee", "52:54:00:aa:bb:cc:dd:ee"],
    ["5:5:5:5:5:5", undefined],
    ["", undefined],
  ];
  for (const [text, form] of forms) {
    const mac = parseMac(text);
    assert.is(mac === undefined ? undefined : formatMac(mac), form, text);
  }
});

test.run();
