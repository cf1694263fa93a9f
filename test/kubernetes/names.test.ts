import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isImageReference } from "../../src/kubernetes/images.js";
import { isDnsLabel, isDnsSubdomain, isLabelValue, isQualifiedName } from "../../src/kubernetes/names.js";
import { compareQuantities, parseQuantity } from "../../src/kubernetes/quantities.js";
import { isSecretKey } from "../../src/kubernetes/secrets.js";
import { compareKubeVersions } from "../../src/kubernetes/versions.js";

const test = suite("kubernetes names, versions and quantities");

const x = (n: number): string => "x".repeat(n);
type Rule = (text: string) => boolean;
const RULES: readonly [string, Rule, readonly string[], readonly string[]][] = [
  ["DNS label", isDnsLabel, ["a", "0", "a-b", x(63)], ["", "A", "-a", "a-", "a.b", x(64), "a\n", "é"]],
  [
    "DNS subdomain",
    isDnsSubdomain,
    ["a", "a.b-c.0", `${x(126)}.${x(126)}`, x(253)],
    ["", ".a", "a.", "a..b", "a.-b", "A", `${x(253)}x`, "a/b"],
  ],
  [
    "label key",
    isQualifiedName,
    ["a", "A_b.c", `a.b/${x(63)}`, "cluster.x-k8s.io/cluster-name"],
    ["", "a/", "/a", "A/b", "a/b/c", x(64), "-a", "a_", "a b"],
  ],
  ["label value", isLabelValue, ["", "a", "A_b.c-9", x(63)], ["-", "a-", x(64), "a b", "a/b", "a\n"]],
  [
    "Secret key",
    isSecretKey,
    ["a", ".a", "A_b-c.yaml", "-", "_", ".openshift_install_state.json", x(253)],
    ["", ".", "..", "..a", "a/b", "a b", "a+b", "é", x(254)],
  ],
  [
    "image reference",
    isImageReference,
    [
      "a",
      "a:1",
      "quay.io/a/b__c.d--e:T_1.0",
      `localhost:5000/a@sha256:${"0".repeat(64)}`,
      `[::1]:5000/a:b@sha512:${"f".repeat(128)}`,
    ],
    [
      ...["", "a/B", "a:", "a@sha256:0", "a b", "https://a/b", "a//b", "a:b:c/d", "a\n", x(1025)],
      ...["user:password@quay.io/a", `a@sha256:${"A".repeat(64)}`, `a@sha256:${"0".repeat(63)}`],
      ...[`a@md5:${"0".repeat(32)}`, `a@sha512:${"0".repeat(64)}`],
    ],
  ],
];
for (const [what, rule, good, bad] of RULES)
  test(what, () => {
    for (const text of good) assert.is(rule(text), true, JSON.stringify(text));
    for (const text of bad) assert.is(rule(text), false, JSON.stringify(text));
  });

test("versions order as the API server orders them", () => {
  const ordered = [
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
  ];
  assert.equal(
    [...ordered].sort((a, b) => compareKubeVersions(b, a)),
    ordered,
  );
  for (const version of ordered) assert.is(compareKubeVersions(version, version), 0);
  assert.ok(compareKubeVersions("v1", "v1gamma1") > 0, "v1gamma1 is not a version of Kubernetes");
});

test("quantities are exact", () => {
  const units: readonly (readonly [string, bigint])[] = [
    ["0", 0n],
    ["1", 10n ** 9n],
    ["1.5Gi", (3n << 29n) * 10n ** 9n],
    ["-250m", -250_000_000n],
    ["1e3", 10n ** 12n],
    ["1E3", 10n ** 12n],
    ["1E", 10n ** 27n],
    ["2E-9", 2n],
    ["+.5k", 500n * 10n ** 9n],
    ["0.0000000001", 1n],
    ["-1e-99", -1n],
    ["9Ei", ((1n << 63n) - 1n) * 10n ** 9n],
  ];
  for (const [text, nano] of units) assert.is(parseQuantity(text), nano, text);
  for (const text of ["", "1 Gi", "Gi1", "1e", "1KI", "1ki", "0x1", "1e3Ki", "1.2.3", "one", "1\n"])
    assert.is(parseQuantity(text), undefined, text);
  assert.is(compareQuantities("1Gi", "1024Mi"), 0);
  assert.is(compareQuantities("1G", "1Gi"), -1);
  assert.is(compareQuantities("2", "1999m"), 1);
  assert.is(compareQuantities("2", "two"), undefined);
});

test.run();
