import { suite } from "uvu";
import * as assert from "uvu/assert";
import { platform as aws } from "../../src/platforms/aws/index.js";
import { checkCredentials } from "../../src/platforms/credentials-rule.js";
import { platform as none } from "../../src/platforms/none/index.js";
import type { PlatformModule } from "../../src/platforms/platform.js";
import { awsConfig, platformInput, reported } from "../helpers/aws.js";
import { VARIANTS } from "../helpers/aws-variants.js";

const test = suite("credentials that are needed");

const said = (platform: PlatformModule, input: Parameters<typeof checkCredentials>[1]): string[] =>
  reported((report) => checkCredentials(platform, input, { report }));

test("a cloud needs them, unless the user hands them to the operators", () => {
  assert.equal(said(aws, platformInput(awsConfig())), ["error CRED004 credentialsMode"]);
  assert.equal(said(aws, platformInput(awsConfig({}, { credentialsMode: "Mint" }))), [
    "error CRED004 credentialsMode",
  ]);
  assert.equal(said(aws, platformInput(awsConfig({}, { credentialsMode: "Manual" }))), []);
  const given = VARIANTS["credentials"];
  assert.equal(given && said(aws, given), []);
});

test("without a cloud there are none", () => assert.equal(said(none, platformInput(awsConfig())), []));

test.run();
