/**
 * The login of a cloud as the installer takes it from clouds.yaml (gophercloud/utils openstack/clientconfig,
 * `GetCloudFromYAML`), and the texts that go into Secrets (openshift/installer pkg/asset/manifests/openshift.go and
 * pkg/asset/manifests/openstack). Nothing is taken from the environment, and no value ever enters a message.
 */

import { dirname, join } from "node:path";
import type { Problem } from "../../core/diagnostics.js";
import { isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import { goQuoted } from "../../kubernetes/server-error.js";
import { quote } from "../../text/quote.js";
import { parseYaml } from "../../text/yaml-parse.js";
import { child, readYaml, type YamlNode } from "../../text/yaml-read.js";
import { writeYaml } from "../../text/yaml-write.js";
import type { NormalConfig } from "../config.js";
import type { Credentials, CredentialsContext, PlatformInput } from "../platform.js";
import { openstackOf } from "./config.js";

/** Names of the credentials, which are the keys of the Secret. */
const CLOUDS = "clouds.yaml";
const CONF = "clouds.conf";
const AUTHORITY = "cacert";

export const CREDENTIAL_NAMES: readonly string[] = [CLOUDS, CONF];

/** Name of the one cloud in the texts that go into the cluster, whatever it is called in clouds.yaml. */
const CLOUD_NAME = "openstack";
/** Where operators find the certificates that vouch for the cloud. */
export const CA_FILE = "/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem";
/** Where the provider of Cluster API has them. */
const PROVIDER_CA_FILE = "/etc/certs/cacert";

/** Members of a cloud that the installer knows; others it drops. */
const MEMBERS = [
  "cloud",
  "profile",
  "auth_type",
  "region_name",
  "endpoint_type",
  "interface",
  "identity_api_version",
  "volume_api_version",
  "cacert",
  "cert",
  "key",
];
const AUTH_MEMBERS = [
  "auth_url",
  "token",
  "username",
  "user_id",
  "password",
  "application_credential_id",
  "application_credential_name",
  "application_credential_secret",
  "system_scope",
  "project_name",
  "project_id",
  "user_domain_name",
  "user_domain_id",
  "project_domain_name",
  "project_domain_id",
  "domain_name",
  "domain_id",
  "default_domain",
];

/**
 * The Secret's texts for the cloud that the config names. Undefined when they cannot be made; what is wrong is
 * reported with its line.
 */
export function readCredentials(
  text: string,
  file: string,
  context: CredentialsContext,
  config: NormalConfig,
): Credentials | undefined {
  const { documents, problems } = readYaml(text, file, { firstOnly: true });
  for (const problem of problems) context.report({ ...problem, code: "CRED001" });
  if (problems.length > 0) return undefined;
  const root = documents[0]?.root;
  const name = openstackOf(config).cloud ?? "";
  const node = child(child(root, "clouds"), name);
  if (node?.type !== "mapping") return void context.report(noCloud(root, name, file));
  const cloud = cloudAt(node);
  const faults = [...cloudFaults(cloud, node, name, file), ...regionFaults(cloud, node, file, context)];
  faults.forEach(context.report);
  if (faults.some(({ severity = "error" }) => severity === "error")) return undefined;
  const authority = authorityOf(cloud, node, name, file, context);
  if (authority === REFUSED) return undefined;
  return {
    [CLOUDS]: cloudsYaml(authority === undefined ? cloud : { ...cloud, cacert: CA_FILE }),
    [CONF]: cloudsConf(cloud, authority !== undefined),
    ...(authority === undefined ? {} : { [AUTHORITY]: authority }),
  };
}

/** What the Secret of the login held before it had the certificates too. */
export function withoutAuthority(credentials: Credentials | undefined): Credentials | undefined {
  if (credentials === undefined) return undefined;
  const { [AUTHORITY]: _certificates, ...rest } = credentials;
  return rest;
}

const place = (node: YamlNode | undefined, file: string) => ({
  file,
  line: node?.line ?? 0,
  column: node?.column ?? 0,
});

function noCloud(root: YamlNode | undefined, name: string, file: string): Problem {
  const clouds = child(root, "clouds");
  const names = clouds?.type === "mapping" ? clouds.entries.map((each) => each.name) : [];
  return problem(
    "CRED002",
    "NotFound",
    "platform.openstack.cloud",
    `the file contains no cloud ${quote(name)}`,
    {
      ...place(clouds ?? root, file),
      hint:
        names.length === 0
          ? `add the cloud below clouds.${name}`
          : `set platform.openstack.cloud to one of ${names.map(quote).join(", ")}`,
    },
  );
}

/** A text as the installer's reader takes one from any scalar: as it is written. */
const textOf = (node: YamlNode | undefined): string =>
  node?.type === "scalar" && node.value !== null ? node.text : "";

const textsAt = (node: YamlNode | undefined, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(child(node, name));
      return text === "" ? [] : [[name, text]];
    }),
  );

/** The members of a cloud, as they are written. */
function membersAt(node: YamlNode | undefined): JsonObject {
  const auth = child(node, "auth");
  const verify = child(node, "verify");
  const regions = child(node, "regions");
  return {
    ...textsAt(node, MEMBERS),
    ...(auth?.type === "mapping"
      ? {
          auth: {
            ...textsAt(auth, AUTH_MEMBERS),
            ...(isTrue(child(auth, "allow_reauth")) ? { allow_reauth: true } : {}),
          },
        }
      : {}),
    ...(regions?.type === "sequence" && regions.items.length > 0
      ? { regions: regions.items.map(regionAt) }
      : {}),
    ...(verify?.type === "scalar" && typeof verify.value === "boolean" ? { verify: verify.value } : {}),
  };
}

/** The members of the cloud itself: `verify` is told, and `interface` is another word for `endpoint_type`. */
function cloudAt(node: YamlNode): JsonObject {
  const { interface: side, ...members } = membersAt(node);
  return { ...(side === undefined ? {} : { endpoint_type: side }), verify: true, ...members };
}

const isTrue = (node: YamlNode | undefined): boolean => node?.type === "scalar" && node.value === true;

/** A region is a name, or a name with members of a cloud that differ there. */
function regionAt(node: YamlNode): JsonObject {
  const name = node.type === "scalar" ? textOf(node) : textOf(child(node, "name"));
  return { ...(name === "" ? {} : { name }), values: membersAt(child(node, "values")) };
}

const PASSWORDS = ["password", "v2password", "v3password"];

function cloudFaults(cloud: JsonObject, node: YamlNode, name: string, file: string): Problem[] {
  const profile = ["profile", "cloud"].find((member) => cloud[member] !== undefined);
  const auth = cloud["auth"];
  const lacking = (message: string, hint: string, at: YamlNode = node): Problem => ({
    ...place(at, file),
    code: "CRED002",
    kind: "Required",
    message,
    hint,
  });
  return [
    ...(profile === undefined
      ? []
      : [
          lacking(
            `the cloud ${quote(name)} refers to clouds-public.yaml, which slipway does not read`,
            `copy its fields into the cloud, and remove ${profile}`,
            child(node, profile),
          ),
        ]),
    ...(isObject(auth) && textAt(auth, "auth_url") !== "" && hasSecret(auth)
      ? []
      : [
          lacking(
            `the cloud ${quote(name)} has incomplete credentials: auth requires auth_url, and a password, a token or an application credential`,
            "add them below auth, including those in secure.yaml, which slipway does not read",
            child(node, "auth"),
          ),
        ]),
    ...(PASSWORDS.includes(textAt(cloud, "auth_type"))
      ? [
          {
            ...place(child(node, "auth_type"), file),
            code: "CRED003" as const,
            severity: "info" as const,
            kind: "Invalid" as const,
            message: "the password of a user is stored in the cluster",
            hint: "use an application credential (auth_type: v3applicationcredential), which is easier to rotate",
          },
        ]
      : []),
  ];
}

function regionFaults(
  cloud: JsonObject,
  node: YamlNode,
  file: string,
  { facts }: CredentialsContext,
): Problem[] {
  const [region, fact] = [textAt(cloud, "region_name"), facts.openstack?.region ?? ""];
  return fact === "" || fact === region
    ? []
    : [
        {
          ...place(child(node, "region_name") ?? node, file),
          code: "FACT002",
          kind: "Invalid",
          message: `the facts are for the region ${fact}, but the cloud has ${region === "" ? "no region" : `the region ${region}`}`,
          hint: "use the facts for the cloud's region",
        },
      ];
}

const hasSecret = (auth: JsonObject): boolean =>
  ["password", "token", "application_credential_secret"].some((member) => textAt(auth, member) !== "");

const REFUSED = Symbol("refused");

/** The certificates that vouch for the cloud: of the facts, else of the file that the cloud names. */
function authorityOf(
  cloud: JsonObject,
  node: YamlNode,
  name: string,
  file: string,
  { facts, readFile, report }: CredentialsContext,
): string | undefined | typeof REFUSED {
  const fact = facts.openstack?.caCertificate;
  if (fact !== undefined) return fact;
  const path = textAt(cloud, "cacert");
  if (path === "") return undefined;
  const found = readFile(path) ?? readFile(join(dirname(file), path));
  if (found !== undefined) return found;
  report({
    ...place(child(node, "cacert"), file),
    code: "CRED002",
    kind: "NotFound",
    message: `cannot read the certificate file in cacert of the cloud ${quote(name)}`,
    hint: "create the file, or add cloud-facts openstack.caCertificate (--facts FILE)",
  });
  return REFUSED;
}

const cloudsYaml = (cloud: Json): string => writeYaml({ clouds: { [CLOUD_NAME]: cloud } });

/** The config of a cloud provider of old, as lines that gcfg reads. */
function cloudsConf(cloud: JsonObject, hasAuthority: boolean): string {
  const auth = isObject(cloud["auth"]) ? cloud["auth"] : {};
  const members: readonly (readonly [string, string])[] = [
    ["auth-url", textAt(auth, "auth_url")],
    ["username", textAt(auth, "username")],
    ["password", textAt(auth, "password")],
    ["tenant-id", textAt(auth, "project_id")],
    ["tenant-name", textAt(auth, "project_name")],
    ["domain-id", textAt(auth, "domain_id") || textAt(auth, "user_domain_id")],
    ["domain-name", textAt(auth, "domain_name") || textAt(auth, "user_domain_name")],
    ["region", textAt(cloud, "region_name")],
  ];
  const lines = members
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name} = ${goQuoted(value)}\n`);
  return `[Global]\n${lines.join("")}${hasAuthority ? `ca-file = ${CA_FILE}\n` : ""}`;
}

/** The cloud of credentials; empty where made-up ones stand in for them. */
function cloudOf(credentials: Credentials | undefined): JsonObject {
  let value: Json = null;
  try {
    value = parseYaml(credentials?.[CLOUDS] ?? "");
  } catch {
    // Not a text of ours.
  }
  const clouds = isObject(value) ? value["clouds"] : undefined;
  const cloud = isObject(clouds) ? clouds[CLOUD_NAME] : undefined;
  return isObject(cloud) ? cloud : {};
}

/** Region of the cloud: of the credentials, else of the facts; empty where none is told. */
export const regionOf = ({ credentials, facts }: Pick<PlatformInput, "credentials" | "facts">): string =>
  textAt(cloudOf(credentials), "region_name") || (facts.openstack?.region ?? "");

/** The certificates that vouch for the cloud; undefined where the machine's own authorities do. */
export const caCertificate = ({
  credentials,
  facts,
}: Pick<PlatformInput, "credentials" | "facts">): string | undefined =>
  credentials?.[AUTHORITY] ?? facts.openstack?.caCertificate;

/** Data of the Secret that the provider of Cluster API reads. */
export function providerSecret(credentials: Credentials): Credentials {
  const { [AUTHORITY]: authority, [CLOUDS]: clouds = "" } = credentials;
  const cloud = cloudOf(credentials);
  return authority === undefined
    ? { [CLOUDS]: clouds }
    : { [CLOUDS]: cloudsYaml({ ...cloud, cacert: PROVIDER_CA_FILE }), [AUTHORITY]: authority };
}
