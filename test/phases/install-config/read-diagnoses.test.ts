// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of shells are what these texts are about
/** Diagnoses that name the cause of what cannot be read, or was hardly meant. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatDiagnostic } from "../../../src/core/diagnostics.js";
import { configText, PULL_SECRET, readConfig } from "../../helpers/install-config.js";

const test = suite("install-config diagnoses");

const CERTIFICATE =
  "additionalTrustBundle: |\n  -----BEGIN CERTIFICATE-----\n  <MY_CERTIFICATE>\n  -----END CERTIFICATE-----";
const SSH = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEx2KnK03eS";

test("placeholders stop the run before validation noise", () => {
  const cases: [Record<string, string>, string, RegExp][] = [
    [
      { baseDomain: "baseDomain: ${BASE_DOMAIN}" },
      "2:13 error IC002 baseDomain",
      /unexpanded variable \(\$\{BASE_DOMAIN\}\); expand/,
    ],
    [
      { baseDomain: "baseDomain: ${BASE:-example.org}" },
      "2:13 error IC002 baseDomain",
      /unexpanded variable/,
    ],
    [{ baseDomain: "baseDomain: $BASE.example.org" }, "2:13 error IC002 baseDomain", /\(\$BASE\)/],
    [{ baseDomain: "baseDomain: $(hostname -d)" }, "2:13 error IC002 baseDomain", /unexpanded shell command/],
    [
      { baseDomain: "baseDomain: '{{ base_domain }}'" },
      "2:13 error IC002 baseDomain",
      /template expression.*render the template/,
    ],
    [
      { baseDomain: "baseDomain: {{ base_domain }}" },
      "2:13 error IC002 baseDomain",
      /contains a template expression/,
    ],
    [
      { baseDomain: "{{- if .Values.domain }}\nbaseDomain: {{ .Values.domain }}\n{{- end }}" },
      "2:1 error IC002",
      /contains a template expression/,
    ],
    [
      { baseDomain: "baseDomain: <base domain>" },
      "2:13 error IC002 baseDomain",
      /is a placeholder \(<base domain>\); replace it with the actual value/,
    ],
    [
      { baseDomain: "baseDomain: <name>.example.org" },
      "2:13 error IC002 baseDomain",
      /contains a placeholder/,
    ],
    [{ baseDomain: "baseDomain: REPLACE_ME" }, "2:13 error IC002 baseDomain", /placeholder \(REPLACE_ME\)/],
    [{ baseDomain: "baseDomain: CHANGEME.example.org" }, "2:13 error IC002 baseDomain", /placeholder/],
    [{ baseDomain: "baseDomain: __DOMAIN__" }, "2:13 error IC002 baseDomain", /placeholder/],
    [{ baseDomain: "baseDomain: '@DOMAIN_NAME@'" }, "2:13 error IC002 baseDomain", /placeholder/],
    [
      { pullSecret: "pullSecret: $PULL_SECRET" },
      "7:13 error IC002 pullSecret",
      /unexpanded variable; expand/,
    ],
    [
      { pullSecret: "pullSecret: '<pull secret>'" },
      "7:13 error IC002 pullSecret",
      /placeholder; replace it with the actual value/,
    ],
    [{ pullSecret: "pullSecret: ..." }, "7:13 error IC002 pullSecret", /is an ellipsis/],
    [{ x: "sshKey: ${SSH_KEY}" }, "8:9 error IC002 sshKey", /unexpanded variable/],
    [{ x: "fips: FIPS_MODE" }, "8:7 error IC002 fips", /the placeholder FIPS_MODE was not replaced/],
    [
      { x: "publish: PUBLISH_STRATEGY" },
      "8:10 error IC002 publish",
      /the placeholder PUBLISH_STRATEGY was not replaced/,
    ],
    [{ x: "compute: ${COMPUTE}" }, "8:10 error IC002 compute", /unexpanded variable/],
    [{ x: "AV_ZONES" }, "8:1 error IC002", /the placeholder AV_ZONES was not replaced/],
    [
      { x: "bootstrapInPlace:\n  installationDisk: /dev/disk/by-id/<disk_id>" },
      "9:21 error IC002 bootstrapInPlace.installationDisk",
      /contains a placeholder \(<disk_id>\)/,
    ],
    [
      { platform: "platform:\n  external:\n    platformName: REPLACE_ME" },
      "7:19 error IC002 platform.external.platformName",
      /placeholder/,
    ],
    [
      { platform: "platform:\n  powervs:\n    userID: ${IBM_ID}" },
      "7:13 error IC002 platform.powervs.userID",
      /unexpanded variable/,
    ],
  ];
  for (const [parts, line, message] of cases) {
    const { read, summary, text } = readConfig(configText(parts));
    assert.is(read, undefined, text);
    assert.is(summary[0], line, text);
    assert.match(text, message);
    assert.ok(!/YAML00|IC013/.test(text), text);
  }
});

test("a fault of YAML is not put down to signs that cannot be its cause", () => {
  const text = configText({ x: `sshKey: ${SSH} <me@example.org>\nproxy: {httpProxy: "http://$X` });
  assert.equal(readConfig(text).summary, ["9:20 error YAML001 proxy.httpProxy"]);
  const template = configText({
    baseDomain: "baseDomain: {{ domain }}",
    metadata: "metadata:\n  name: ${NAME}",
  });
  assert.equal(readConfig(template).summary, [
    "2:13 error IC002 baseDomain",
    "4:9 error IC002 metadata.name",
  ]);
  const list =
    "compute:\n- name: worker\n- name: {{ name }}\n  platform:\n    aws:\n      type: {{ type }}\n";
  assert.equal(readConfig(list).summary, [
    "3:9 error IC002 compute[1].name",
    "6:13 error IC002 compute[1].platform.aws.type",
  ]);
});

test("legal values that only look so stay accepted; where in doubt a warning says so", () => {
  const cases: [Record<string, string>, readonly string[]][] = [
    [{ x: "proxy:\n  httpProxy: http://user:pa$word@proxy.example.org\n  noProxy: '*'" }, []],
    [
      { x: "proxy:\n  httpProxy: http://${USER}:x@proxy.example.org" },
      ["9:14 warning IC002 proxy.httpProxy"],
    ],
    [{ x: `sshKey: ${SSH} me@$HOST` }, []],
    [{ x: `sshKey: ${SSH} <me@example.org>` }, ["8:9 warning IC002 sshKey"]],
    [{ x: CERTIFICATE }, ["8:24 warning IC002 additionalTrustBundle"]],
    [
      { x: "controlPlane:\n  fencing:\n    credentials:\n    - username: $user\n      password: <pa$$word>" },
      [
        "11:17 warning IC002 controlPlane.fencing.credentials[0].username",
        "12:17 warning IC002 controlPlane.fencing.credentials[0].password",
      ],
    ],
    [
      { metadata: "metadata:\n  name: demo\n  annotations: {note: '${X} <x> TODO'}" },
      ["5:23 warning IC002 metadata.annotations[note]"],
    ],
    [{ metadata: "metadata:\n  name: changeme" }, ["4:9 warning IC002 metadata.name"]],
    [{ metadata: "metadata:\n  name: todo-list" }, []],
    [
      { platform: "platform:\n  aws:\n    region: eu-west-1\n    userTags: {cost: TODO, iam_role: MY_ROLE}" },
      ["8:22 warning IC002 platform.aws.userTags[cost]"],
    ],
    [
      {
        platform: "platform:\n  aws:\n    region: eu-west-1\n    defaultMachinePlatform: {iamRole: MY_ROLE}",
      },
      [],
    ],
    [
      { platform: "platform:\n  vsphere:\n    vcenters: [{password: '<x>'}]" },
      ["7:27 warning IC002 platform.vsphere.vcenters[0].password"],
    ],
    [{ x: "# baseDomain: ${NOT_USED} {{ x }}" }, []],
    [{ x: "proxy: # <x> ${Y}\n  httpProxy: http://p.example.org # {{ z }}" }, []],
  ];
  for (const [parts, expected] of cases) {
    const { read, summary, text } = readConfig(configText(parts));
    assert.equal(summary, expected, text);
    assert.ok(read !== undefined);
  }
});

test("lines of a shell script or of Markdown around the file are named, and the rest is judged", () => {
  const inner = configText({ x: "fips: 3" });
  const cases: [string, readonly string[]][] = [
    [
      `cat <<EOF > install-config.yaml\n${inner}EOF\n`,
      ["1:1 error IC003", "9:7 error IC013 fips", "10:1 error IC003"],
    ],
    [
      `cat > install-config.yaml <<'END_OF_CONFIG'\n${inner}END_OF_CONFIG\n`,
      ["1:1 error IC003", "9:7 error IC013 fips", "10:1 error IC003"],
    ],
    [`${inner}EOF\n`, ["8:7 error IC013 fips", "9:1 error IC003"]],
    [`\`\`\`yaml\n${inner}\`\`\`\n`, ["1:1 error IC003", "9:7 error IC013 fips", "10:1 error IC003"]],
    [`$ cat install-config.yaml\n${inner}`, ["1:1 error IC003", "9:7 error IC013 fips"]],
  ];
  for (const [text, expected] of cases) assert.equal(readConfig(text).summary, expected, text);
});

test("a pull secret in another form than JSON text", () => {
  const json = '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNzd29yZA=="}}}';
  const cases: [string, RegExp][] = [
    [json, /expected JSON text, found a mapping; put the whole JSON text in single quotes/],
    ["[a]", /expected JSON text, found a list/],
    ["~/pull-secret.json", /looks like a file path/],
    ["./pull-secret", /looks like a file path/],
    ["pull-secret.txt", /looks like a file path/],
    [Buffer.from(json).toString("base64"), /is Base64-encoded/],
    [JSON.stringify(JSON.stringify(json)), /JSON-encoded twice/],
    [`'${JSON.stringify(json).slice(1, -1)}'`, /quotes in the pull secret are escaped/],
    [`"{'auths': {}}"`, /single quotes where JSON requires double quotes/],
    [`'{"auths": ...}'`, /part of the pull secret is replaced by an ellipsis/],
    [`'${json.slice(0, -1)}'`, /is truncated: its last \} is missing/],
    [`'${json.replace('"auth"', '"auth')}'`, /not valid JSON/],
    [`'{"auths":"x"}'`, /"auths" in the pull secret is a string, not an object/],
    [
      `'{"auths":{"registry.example.org":"x"}}'`,
      /the pull secret entry for registry\.example\.org is a string/,
    ],
    [`'{"registry.example.org":{"auth":"x"}}'`, /contains registries, but not below "auths"/],
    ["'{}'", /has no field "auths"/],
    ["'[]'", /not a JSON object/],
    ["secret", /is not JSON; paste the JSON text/],
    [`'{"auths":{"registry.example.org":{"auth":"\${TOKEN}"}}}'`, /contains an unexpanded variable/],
  ];
  for (const [value, message] of cases) {
    const { read, diagnostics, text } = readConfig(configText({ pullSecret: `pullSecret: ${value}` }));
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    assert.equal(
      errors.map(({ code, kind, line, column, field }) => [code, kind, line, column, field]),
      [["IC004", "Invalid", 7, 13, "pullSecret"]],
      `${value}: ${text}`,
    );
    assert.match(text, message);
    assert.ok(read?.isUnreadable("pullSecret"));
  }
  const broken = `pullSecret: '{"auths":{"registry.example.org":{"auth":"dXNlcjpw\n  YXNzd29yZA=="}}}'`;
  assert.match(
    readConfig(configText({ pullSecret: broken })).text,
    /warning IC004: pullSecret: .*contains whitespace; it may have been pasted across two lines/,
  );
  for (const fine of [
    PULL_SECRET,
    `|\n  ${json}`,
    `>-\n  ${json}`,
    `'{"AUTHS":{"r":{"auth":"YTpi"}}}'`,
    `'{"auths":\n  {"r":{"auth":"YTpi"}}}'`,
    '""',
  ])
    assert.equal(readConfig(configText({ pullSecret: `pullSecret: ${fine}` })).summary, [], fine);
});

test("a text that was not closed or goes on points at its start and names the field", () => {
  const cases: [string, string, RegExp][] = [
    [
      'sshKey: "ssh-ed25519 AAAA',
      "8:9 error YAML001 sshKey",
      /double-quoted string that starts here has no closing quote/,
    ],
    [
      "baseDomain2: 'x\nfips: 'y'",
      "8:14 error YAML001 baseDomain2",
      /ends on line 9.*add the closing quote on line 8 if it is missing/,
    ],
    [
      "sshKey: ssh-ed25519 AAAA\nBBBB me",
      "8:9 error YAML001 sshKey",
      /line 9 is not a key \(it has no ": "\) and seems to continue this value/,
    ],
    ["proxy:\n\thttpProxy: http://x", "9:1 error YAML001 proxy", /tabs are not allowed for indentation/],
    ["proxy: {httpProxy: x", "9:1 error YAML001 proxy", /missing comma or \}/],
    ["proxy: a: b", "8:9 error YAML001 proxy", /a line must not contain two keys/],
    ["proxy: @x", "8:8 error YAML001 proxy", /a value must not start with @; put the value in quotes/],
    ["proxy: *x", "8:8 error YAML003 proxy", /undefined alias \*x: no such anchor.*put the value in quotes/],
    ['sshKey: "a\\/b"', "8:11 error YAML001 sshKey", /invalid escape sequence .* in double quotes/],
  ];
  for (const [lines, line, message] of cases) {
    const { read, summary, text } = readConfig(configText({ x: lines }));
    assert.is(read, undefined);
    assert.equal(summary, [line], text);
    assert.match(text, message);
  }
});

test("a line that is indented wrongly is named itself, with the columns that would be right", () => {
  const cases: [string, string, RegExp][] = [
    [
      "proxy:\n    httpProxy: http://a.test\n  noProxy: b.test",
      "10:3 error YAML001",
      /invalid indentation of 2: expected 4 \(from line 9\) or 0 \(from line 1\); indent it like/,
    ],
    [
      "proxy:\n  httpProxy: 'http://a.test'\n   noProxy: b.test",
      "10:4 error YAML001 proxy",
      /invalid indentation of 3: expected 2 \(from line 9\); /,
    ],
    [
      "imageDigestSources:\n  - source: a.test/b\n  mirrors: []",
      "10:3 error YAML001 imageDigestSources",
      /the key is at the indentation of the list that starts on line 9; indent it like the keys/,
    ],
    [
      "featureGates:\n- A=true\nfips: true\n- B=true",
      "11:1 error YAML001",
      /the list item is at the indentation of the mapping that starts on line 1; indent it/,
    ],
    [
      "proxy:\n  noProxy: b.test\n    httpProxy: a",
      "10:14 error YAML001 proxy.noProxy",
      /continues the value on line 9 because it is indented further, .*; indent it like line 9, or put/,
    ],
    ["fips: true\npublish:Internal", "9:8 error YAML001", /missing space after ":"; add a space after/],
  ];
  for (const [lines, line, message] of cases) {
    const { read, summary, text } = readConfig(configText({ x: lines }));
    assert.is(read, undefined);
    assert.equal(
      summary.map((each) => each.trim()),
      [line],
      text,
    );
    assert.match(text, message);
    assert.not.match(text, /is not a key/);
  }
  const address = readConfig(configText({ x: "proxy:\n  noProxy: a\n  http://b.test" }));
  assert.match(address.text, /line 10 is not a key \(it has no ": "\) and seems to continue this value/);
});

test("a text over several lines that is joined by blanks is a warning", () => {
  const cases: [string, readonly string[]][] = [
    [`sshKey: '${SSH}\n'`, ["8:9 warning IC005 sshKey"]],
    [`sshKey: ${SSH}\n  BBBB`, ["8:9 warning IC005 sshKey"]],
    [`sshKey: >\n  ${SSH} a\n  ${SSH} b`, ["8:9 warning IC005 sshKey"]],
    [`sshKey: >\n  ${SSH} a`, []],
    [`sshKey: |\n  ${SSH} a\n  ${SSH} b`, []],
    [`sshKey: ${SSH} a`, []],
    [
      "additionalTrustBundle: >\n  -----BEGIN CERTIFICATE-----\n  MII\n",
      ["8:24 warning IC005 additionalTrustBundle"],
    ],
  ];
  for (const [lines, expected] of cases)
    assert.equal(readConfig(configText({ x: lines })).summary, expected, lines);
  assert.match(
    readConfig(configText({ x: `sshKey: '${SSH}\n'` })).text,
    /the closing quote is on line 9, so the value ends with a space/,
  );
});

test("documents that are empty, several, or something else", () => {
  const inner = configText();
  const indented = inner.replace(/^/gm, "    ").trimEnd();
  const cases: [string, readonly string[], RegExp, boolean][] = [
    ["", ["0:0 error YAML006 apiVersion"], /the file is empty/, false],
    ["\n  \n", ["0:0 error YAML006 apiVersion"], /the file is empty/, false],
    ["# a\n# b\n", ["0:0 error YAML006 apiVersion"], /contains only comments/, false],
    ["---\n", ["0:0 error YAML006 apiVersion"], /contains only comments/, false],
    [
      "null\n",
      ["0:0 error YAML006 apiVersion"],
      /required value is missing: the file contains only comments/,
      false,
    ],
    [`---\n---\n${inner}`, ["2:1 error YAML006 apiVersion"], /the first YAML document is empty/, false],
    [`---\n${inner}`, [], /^$/, true],
    [`${inner}...\n`, [], /^$/, true],
    [`${inner}---\n# nothing\n`, [], /^$/, true],
    [
      `${inner}---\n${inner}`,
      ["9:1 warning YAML007"],
      /reads only the first document and ignores the rest/,
      true,
    ],
    [
      `${inner}---\n[broken\n`,
      ["9:1 warning YAML007"],
      /reads only the first document and ignores the rest/,
      true,
    ],
    [` ${inner}`, ["2:1 warning IC007"], /ends before this line; the rest of the file is ignored/, true],
    ["- a\n", ["1:1 error IC001"], /found a list/, false],
    ["text\n", ["1:1 error IC001"], /found a single value/, false],
    [
      `apiVersion: v1\nkind: Secret\nstringData:\n  install-config.yaml: |\n${indented}\n`,
      ["4:3 error IC001"],
      /found a Secret with an install-config in stringData; save the value/,
      false,
    ],
    [
      `apiVersion: v1\nkind: Secret\ndata:\n  install-config.yaml: YQ==\n`,
      ["4:3 error IC001"],
      /decoded from Base64/,
      false,
    ],
    [
      `apiVersion: v1\nkind: ConfigMap\ndata:\n  installConfig: |\n${indented}\n`,
      ["4:3 error IC001"],
      /found a ConfigMap with an install-config in data/,
      false,
    ],
    [
      "apiVersion: v1beta1\nkind: AgentConfig\nrendezvousIP: 192.0.2.1\n",
      ["2:7 error IC001"],
      /expected an install-config, found an AgentConfig/,
      false,
    ],
  ];
  for (const [text, expected, message, goesOn] of cases) {
    const result = readConfig(text);
    assert.equal(result.summary, expected, `${text}\n${result.text}`);
    assert.match(result.text, message);
    assert.is(result.read !== undefined, goesOn, text);
  }
  assert.equal(readConfig(configText({ x: "kind: InstallConfig" })).summary, []);
});

test("a file that is something else as a whole gets one word", () => {
  const tell = (text: string): readonly string[] => readConfig(text).diagnostics.map(formatDiagnostic);
  const page =
    "# Title\n\nSome words: and more\n\n```sh\nls\n```\n\n```yaml\nbaseDomain: a.example.org\n```\n";
  for (const [text, words] of [
    [page, /found a Markdown page/],
    [
      '{"*installconfig.InstallConfig": {"config": {}}, "*installconfig.ClusterID": {"UUID": "x"}}',
      /found the state file of an asset directory.*--dir/,
    ],
    ["clusterName: a\nclusterID: b\ninfraId: c\n", /found a mapping without any field of an install-config/],
    ['{"clusterName":"a","clusterID":"b","infraID":"c","featureSet":""}', /metadata\.json.*--dir/],
  ] as const) {
    const problems = tell(text);
    assert.is(problems.length, 1, problems.join("\n"));
    assert.match(problems[0] ?? "", /error IC001/);
    assert.match(problems[0] ?? "", words);
  }
  // A config between two fences is judged without them.
  assert.ok(tell(`\`\`\`yaml\n${configText()}\`\`\`\n`).every((each) => each.includes("IC003")));
});

test("an old form with machines says what took their place", () => {
  const { summary, text } = readConfig(
    "apiVersion: v1beta1\nbaseDomain: example.org\nmachines:\n- name: master\n",
  );
  assert.equal(summary, ["3:1 error IC010 machines"]);
  assert.match(text, /machines: unsupported field: removed; use controlPlane and compute/);
  assert.match(
    readConfig(configText({ platform: "platform:\n  libvirt: {}" })).text,
    /libvirt: unsupported field: removed in 4\.16/,
  );
});

test("null where a member selects something", () => {
  const { summary, text } = readConfig(configText({ platform: "platform:\n  none:" }));
  assert.equal(summary, ["6:3 warning IC008 platform.none"]);
  assert.match(text, /use none: \{\}/);
});

test("line ends of either kind are read alike", () => {
  const lines = configText({ x: "sshKey: |\n  a\n  b" });
  const crlf = readConfig(lines.replaceAll("\n", "\r\n"));
  assert.equal(crlf.summary, []);
  assert.equal(crlf.read?.config, readConfig(lines).read?.config);
});

test.run();
