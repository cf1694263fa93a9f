import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter, formatDiagnostic } from "../../../src/core/diagnostics.js";
import { readCredentials } from "../../../src/platforms/aws/credentials.js";
import { awsConfig } from "../../helpers/aws.js";
import { PLANTED } from "../../helpers/planted.js";

const test = suite("aws: credentials files");

const KEYS = `aws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = ${PLANTED.cloudSecretKey}\n`;
const PARSED = { aws_access_key_id: "AKIDEXAMPLE", aws_secret_access_key: PLANTED.cloudSecretKey };

function read(text: string, credentialsMode?: string) {
  const reporter = createReporter();
  const config = awsConfig({}, credentialsMode === undefined ? {} : { credentialsMode });
  const credentials = readCredentials(text, "credentials", { report: reporter.report }, config);
  const said = reporter.diagnostics.map(({ code, kind, line }) => `${code} ${kind} ${line}`);
  const shown = reporter.diagnostics.map(formatDiagnostic).join("\n");
  return { credentials, said, shown };
}

interface Case {
  readonly what: string;
  readonly text: string;
  readonly mode?: string;
  readonly said?: readonly string[];
  readonly credentials?: Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  { what: "the default profile", text: `[default]\n${KEYS}`, credentials: PARSED },
  { what: "the only profile", text: `[ops]\n${KEYS}`, credentials: PARSED },
  {
    what: "the default profile among others",
    text: `[a]\naws_access_key_id=x\naws_secret_access_key=y\n[default]\n${KEYS}`,
    credentials: PARSED,
  },
  {
    what: "comments, blanks, Windows line ends and a byte order mark",
    text: `\ufeff# mine\r\n; too\r\n\r\n [default] # here\r\n${KEYS.replaceAll("\n", "\r\n")}region = eu-west-1\r\n`,
    credentials: PARSED,
  },
  { what: "keys in capitals", text: `[default]\n${KEYS.replaceAll("aws_", "AWS_")}`, credentials: PARSED },
  {
    what: "a nested block",
    text: `[default]\n${KEYS}s3 =\n  max_concurrent_requests = 5\n`,
    credentials: PARSED,
  },
  {
    what: "an equals sign in a value",
    text: "[default]\naws_access_key_id = A\naws_secret_access_key = b=c=\n",
    credentials: { aws_access_key_id: "A", aws_secret_access_key: "b=c=" },
  },
  { what: "nothing", text: "", said: ["CRED002 Required 0"] },
  { what: "several profiles, none default", text: `[a]\n${KEYS}[b]\n${KEYS}`, said: ["CRED002 Required 0"] },
  {
    what: "the default profile twice",
    text: `[default]\n${KEYS}[default]\n${KEYS}`,
    said: ["CRED001 Duplicate 4"],
  },
  { what: "no profile", text: KEYS, said: ["CRED001 Parse 1"] },
  { what: "no key", text: "[default]\nregion = x\n", said: ["CRED002 Required 1", "CRED002 Required 1"] },
  {
    what: "an empty secret",
    text: "[default]\naws_access_key_id = A\naws_secret_access_key =\n",
    said: ["CRED002 Required 3"],
  },
  { what: "a broken line", text: `[default]\n${KEYS}what is this\n`, said: ["CRED001 Parse 4"] },
  {
    what: "temporary keys",
    text: `[default]\n${KEYS}aws_session_token = ${PLANTED.token}\n`,
    said: ["CRED003 Invalid 4"],
  },
  {
    what: "temporary keys where the cluster gets none",
    text: `[default]\n${KEYS}aws_session_token = ${PLANTED.token}\n`,
    mode: "Manual",
    credentials: { ...PARSED, aws_session_token: PLANTED.token },
  },
  {
    what: "a role",
    text: "[default]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = y\n",
    said: ["CRED002 Required 1", "CRED002 Required 1"],
  },
];

for (const { what, text, mode, said = [], credentials } of CASES)
  test(what, () => {
    const outcome = read(text, mode);
    assert.equal(outcome.said, said);
    assert.equal(outcome.credentials, credentials);
    for (const secret of [PLANTED.cloudSecretKey, PLANTED.token, "AKIDEXAMPLE"])
      assert.not.ok(outcome.shown.includes(secret), "no value is shown");
  });

test.run();
