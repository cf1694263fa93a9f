import { test } from "uvu";
import * as assert from "uvu/assert";
import { bundleFault } from "../../src/pki/trust-bundle.js";
import { CERTIFICATE } from "../helpers/install-configs.js";

const lines = CERTIFICATE.trimEnd().split("\n");
const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;

test("bundles that are taken", () => {
  const good = [
    CERTIFICATE,
    CERTIFICATE + CERTIFICATE,
    CERTIFICATE.trimEnd(),
    `issued by hand\n${CERTIFICATE}`,
    `${CERTIFICATE}between\n${CERTIFICATE}`,
    CERTIFICATE.replaceAll("\n", "\r\n"),
    CERTIFICATE.replaceAll("CERTIFICATE", "ANYTHING"),
    CERTIFICATE.replace("-----\nM", "-----\nComment: header\n\nM"),
    CERTIFICATE.replace("-----END CERTIFICATE-----", "-----END CERTIFICATE-----  "),
  ];
  for (const [i, bundle] of good.entries()) assert.is(bundleFault(bundle), undefined, `bundle ${i}`);
});

test("bundles that are refused", () => {
  const bad: readonly [bundle: string, fault: RegExp][] = [
    ["text", /no PEM block/],
    [`${CERTIFICATE}\n`, /empty line/],
    [`${CERTIFICATE}text`, /text after the last certificate is not a certificate/],
    [CERTIFICATE + block("PRIVATE KEY", "MAMCAQA="), /PRIVATE KEY/],
    [block("CERTIFICATE", "MAMCAQA="), /cannot be read/],
    [block("CERTIFICATE", "not base64!"), /no PEM block/],
    [CERTIFICATE.slice(0, -5), /no PEM block/],
    [` ${CERTIFICATE}`, /no PEM block/],
    [[...lines.slice(0, 3), ...lines.slice(4)].join("\n"), /cannot be read|no PEM block/],
  ];
  for (const [bundle, expected] of bad) {
    const found = bundleFault(bundle);
    assert.ok(found !== undefined && expected.test(found.fault), `${expected}: ${found?.fault}`);
  }
});

test("the place of the fault is told", () => {
  assert.is(bundleFault(`${CERTIFICATE}text`)?.offset, CERTIFICATE.length);
});

test.run();
