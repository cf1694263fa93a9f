/** clouds.yaml: what the installer takes from it, what it needs, and what becomes of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json } from "../../../src/core/json.js";
import {
  CREDENTIAL_NAMES,
  caCertificate,
  providerSecret,
  regionOf,
} from "../../../src/platforms/openstack/clouds.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { CERTIFICATE } from "../../helpers/install-configs.js";
import { CLOUDS, FACTS, type Login, login, openstackConfig } from "../../helpers/openstack.js";
import { PLANTED } from "../../helpers/planted.js";
import { factsOf } from "../../helpers/platform-cases.js";
import { runPlatform } from "../../helpers/platform-run.js";

const test = suite("openstack: clouds.yaml");

const cloudOf = ({ credentials, problems }: Login): Json => {
  assert.ok(credentials, JSON.stringify(problems));
  const value = parseYaml(credentials["clouds.yaml"] ?? "");
  const clouds = isObject(value) ? value["clouds"] : undefined;
  assert.equal(isObject(clouds) ? Object.keys(clouds) : [], ["openstack"]);
  return (isObject(clouds) ? clouds["openstack"] : undefined) ?? null;
};
const cloud = (lines: string): string => `clouds:\n  other: {}\n  birds:\n${lines.replace(/^/gm, "    ")}\n`;
const AUTH =
  "auth: {auth_url: https://k.example.net, application_credential_id: a, application_credential_secret: s}";
const told = ({ problems }: Login): string[] =>
  problems.map(({ severity, code, kind, line, column }) => `${severity} ${code} ${kind} ${line}:${column}`);

test("a login with a password", () => {
  const made = login(CLOUDS);
  assert.equal(cloudOf(made), {
    auth: {
      auth_url: "https://keystone.example.net:5000/v3",
      password: PLANTED.password,
      project_name: "birds",
      user_domain_name: "Default",
      username: "stack-user",
    },
    region_name: "RegionOne",
    verify: true,
  });
  assert.is(
    made.credentials?.["clouds.conf"],
    `[Global]
auth-url = "https://keystone.example.net:5000/v3"
username = "stack-user"
password = "${PLANTED.password}"
tenant-name = "birds"
domain-name = "Default"
region = "RegionOne"
`,
  );
  assert.not.ok("cacert" in (made.credentials ?? {}));
  assert.equal(Object.keys(made.credentials ?? {}), [...CREDENTIAL_NAMES]);
});

test("members that the installer knows, as it reads them: any scalar is a text, others are dropped", () => {
  const made = login(
    cloud(`${AUTH.replace("{", "{allow_reauth: true, user_id: 007, unknown: x, ")}
auth_type: v3applicationcredential
interface: internal
identity_api_version: 3
volume_api_version: 2.0
verify: false
regions: [one, {name: two, values: {interface: admin, auth: {auth_url: https://two}}}]
floating_ip_source: none`),
  );
  assert.equal(cloudOf(made), {
    auth: {
      allow_reauth: true,
      application_credential_id: "a",
      application_credential_secret: "s",
      auth_url: "https://k.example.net",
      user_id: "007",
    },
    auth_type: "v3applicationcredential",
    endpoint_type: "internal",
    identity_api_version: "3",
    regions: [
      { name: "one", values: {} },
      { name: "two", values: { auth: { auth_url: "https://two" }, interface: "admin" } },
    ],
    verify: false,
    volume_api_version: "2.0",
  });
  assert.equal(told(made), []);
});

test("endpoint_type counts where both words for it are there", () => {
  const made = cloudOf(login(cloud(`${AUTH}\nendpoint_type: public\ninterface: internal`)));
  assert.is(isObject(made) ? made["endpoint_type"] : undefined, "public");
});

test("clouds.conf quotes as Go does, and its domain is the project's or the user's", () => {
  const made = login(
    cloud(
      `auth: {auth_url: u, username: 'a"b\\', password: "x # \\t\\u00e9\\u0007", project_id: p, domain_id: d, user_domain_id: u, user_domain_name: n}`,
    ),
  );
  assert.is(
    made.credentials?.["clouds.conf"],
    '[Global]\nauth-url = "u"\nusername = "a\\"b\\\\"\npassword = "x # \\té\\a"\ntenant-id = "p"\ndomain-id = "d"\ndomain-name = "n"\n',
  );
});

test("the Secret of the login holds the certificates from 4.19 on", async () => {
  const secret = async (release: string): Promise<string> => {
    const run = await runPlatform({
      config: openstackConfig(),
      release,
      facts: { openstack: FACTS },
      credentials: cloud(`${AUTH}\ncacert: ca.pem`),
      files: { "ca.pem": CERTIFICATE },
    });
    return JSON.stringify(run.objects.get("openshift/99_cloud-creds-secret.yaml"));
  };
  assert.match(await secret("4.18"), "clouds.yaml");
  assert.not.match(await secret("4.18"), "cacert");
  assert.match(await secret("4.19"), "cacert");
});

test("certificates: from where slipway runs, beside the file, or from the facts", () => {
  const text = cloud(`${AUTH}\ncacert: ca.pem`);
  for (const made of [
    login(text, { "ca.pem": CERTIFICATE, "etc/ca.pem": "another" }),
    login(text, { "etc/ca.pem": CERTIFICATE }),
    login(text, {}, { caCertificate: CERTIFICATE }),
  ]) {
    const { credentials } = made;
    assert.is(credentials?.["cacert"], CERTIFICATE);
    const path = "/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem";
    const read = cloudOf(made);
    assert.is(isObject(read) ? read["cacert"] : undefined, path);
    assert.ok(credentials?.["clouds.conf"]?.endsWith(`ca-file = ${path}\n`));
    const provider = providerSecret(credentials ?? {});
    assert.is(provider["cacert"], CERTIFICATE);
    assert.match(provider["clouds.yaml"] ?? "", "cacert: /etc/certs/cacert\n");
    assert.equal(Object.keys(provider).sort(), ["cacert", "clouds.yaml"]);
  }
  const missing = login(text);
  assert.is(missing.credentials, undefined);
  assert.equal(told(missing), ["error CRED002 NotFound 5:13"]);
});

test("what cannot be used is told where it stands, without a value", () => {
  const rows: readonly (readonly [string, ...string[]])[] = [
    ["clouds: [", "error CRED001 Parse 1:10"],
    ["", "error CRED002 NotFound 0:0"],
    ["clouds: {}", "error CRED002 NotFound 1:9"],
    ["clouds:\n  other: {}", "error CRED002 NotFound 2:3"],
    [cloud("profile: vexxhost\nauth: {auth_url: u, token: t}"), "error CRED002 Required 4:14"],
    [cloud("region_name: r"), "error CRED002 Required 4:5"],
    [cloud("auth: {auth_url: u, username: n}"), "error CRED002 Required 4:11"],
    [cloud("auth: {password: p}"), "error CRED002 Required 4:11"],
    [cloud("auth: {auth_url: u, password: p}\nauth_type: password"), "info CRED003 Invalid 5:16"],
  ];
  for (const [text, ...wanted] of rows) assert.equal(told(login(text)), wanted, text);
  const [problem] = login("clouds: {other: {}, another: {}}").problems;
  assert.match(problem?.hint ?? "", '"other", "another"');
});

test("facts of another region", () => {
  assert.equal(told(login(CLOUDS, {}, { region: "RegionTwo" })), ["error FACT002 Invalid 9:18"]);
  assert.equal(told(login(CLOUDS, {}, { region: "RegionOne" })), []);
});

test("another cloud is taken when the config names it", () => {
  const made = login(CLOUDS.replace("birds:", "openstack:"), {}, {}, openstackConfig({ cloud: undefined }));
  assert.ok(isObject(cloudOf(made)));
});

test("where words stand in for the credentials, region and certificates are those of the facts", () => {
  const credentials = { "clouds.yaml": "elsewhere", "clouds.conf": "elsewhere" };
  const facts = factsOf({ openstack: { region: "R", caCertificate: "C" } });
  assert.is(regionOf({ credentials, facts }), "R");
  assert.is(caCertificate({ credentials, facts }), "C");
  assert.equal(providerSecret(credentials), { "clouds.yaml": "elsewhere" });
  const real = login(CLOUDS).credentials;
  assert.is(regionOf({ credentials: real, facts }), "RegionOne");
});

test.run();
