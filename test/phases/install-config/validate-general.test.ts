/** The general rules, on both sides of each limit (docs/reference/install-config-and-manifests.md §1.7). */
import { test } from "uvu";
import * as assert from "uvu/assert";
import { RELEASES } from "../../../src/core/release.js";
import {
  AWS,
  CERTIFICATE,
  EXTERNAL,
  edit,
  expectErrors,
  judge,
  NONE,
  SSH_KEYS,
} from "../../helpers/install-configs.js";
import { VSPHERE } from "../../helpers/vsphere.js";

const block = (type: string) => `-----BEGIN ${type}-----\nMAMCAQA=\n-----END ${type}-----\n`;

test("sound configs", () => {
  for (const config of [NONE, EXTERNAL, AWS]) expectErrors(config, [["nothing is changed", {}]]);
});

test("apiVersion", () => {
  expectErrors(NONE, [
    ["missing", { apiVersion: undefined }, "Required apiVersion"],
    ["empty", { apiVersion: "" }, "Required apiVersion"],
    ["unknown", { apiVersion: "v1beta1" }, "Invalid apiVersion"],
    ["old", { apiVersion: "v1beta3" }],
    ["it stands alone", { apiVersion: "v2", baseDomain: "_" }, "Invalid apiVersion"],
  ]);
});

test("names", () => {
  expectErrors(NONE, [
    ["54 characters", { "metadata.name": "a".repeat(54) }],
    ["55 characters", { "metadata.name": "a".repeat(55) }, "Invalid metadata.name"],
    ["a dot", { "metadata.name": "a.b" }],
    ["upper case", { "metadata.name": "Gannet" }, "Invalid metadata.name"],
    ["a digit first", { "metadata.name": "1a" }],
    ["a dash last", { "metadata.name": "a-" }, "Invalid metadata.name"],
    ["empty", { "metadata.name": "" }, "Invalid metadata.name"],
    ["no metadata", { metadata: undefined }, "Invalid metadata.name"],
    ["trailing dot", { baseDomain: "example.org." }],
    ["two trailing dots", { baseDomain: "example.org.." }, "Invalid baseDomain"],
    ["one label", { baseDomain: "example" }],
    ["underscore", { baseDomain: "a_b.org" }, "Invalid baseDomain"],
    ["no domain", { baseDomain: undefined }, "Invalid baseDomain"],
    ["253 characters in all", { baseDomain: `${"a".repeat(242)}.org` }],
    ["254 characters in all", { baseDomain: `${"a".repeat(243)}.org` }, "Invalid baseDomain"],
  ]);
});

test("FIPS mode is told what it requires, in every release", () => {
  for (const release of RELEASES) {
    const warnings = judge(edit(NONE, { fips: true, sshKey: SSH_KEYS.rsa }), release).diagnostics.filter(
      ({ code }) => code === "IC124",
    );
    assert.equal(
      warnings.map(({ severity, kind, field }) => [severity, kind, field]),
      [["warning", "Forbidden", "fips"]],
    );
    assert.match(warnings[0]?.message ?? "", `openshift-install ${release} rejects fips: true`);
    for (const config of [NONE, edit(NONE, { fips: false })])
      assert.not.ok(judge(config, release).diagnostics.some(({ code }) => code === "IC124"));
  }
});

test("SSH keys", () => {
  expectErrors(NONE, [
    ["none", { sshKey: undefined }],
    ["several", { sshKey: `${SSH_KEYS.ed25519}\n${SSH_KEYS.rsa}\n` }],
    ["one of two is none", { sshKey: `${SSH_KEYS.rsa}\nkey` }, "Invalid sshKey"],
    ["a comment line", { sshKey: `# mine\n${SSH_KEYS.rsa}` }, "Invalid sshKey"],
    ["fips with RSA", { fips: true, sshKey: SSH_KEYS.rsa }],
    ["fips with ECDSA", { fips: true, sshKey: SSH_KEYS.ecdsa }],
    ["fips with Ed25519", { fips: true }, "Invalid sshKey"],
    ["fips with a certificate", { fips: true, sshKey: SSH_KEYS.certificate }, "Invalid sshKey"],
    ["fips looks at the first key only", { fips: true, sshKey: `x\n${SSH_KEYS.rsa}\n${SSH_KEYS.ed25519}` }],
    ["fips without a key", { fips: true, sshKey: undefined }],
    ["fips with no key", { fips: true, sshKey: "key" }, "Invalid sshKey"],
  ]);
});

test("trust bundle", () => {
  expectErrors(NONE, [
    ["a certificate", { additionalTrustBundle: CERTIFICATE }],
    ["with a policy", { additionalTrustBundle: CERTIFICATE, additionalTrustBundlePolicy: "Always" }],
    [
      "a key beside it",
      { additionalTrustBundle: CERTIFICATE + block("PRIVATE KEY") },
      "Invalid additionalTrustBundle",
    ],
    ["text", { additionalTrustBundle: "text" }, "Invalid additionalTrustBundle"],
    [
      "policy in other letters",
      { additionalTrustBundlePolicy: "ProxyOnly" },
      "Invalid additionalTrustBundlePolicy",
    ],
  ]);
});

test("pull secret", () => {
  const secret = (auths: unknown) => JSON.stringify({ auths });
  const bad: readonly (readonly [string, string | undefined])[] = [
    ["missing", undefined],
    ["empty", ""],
    ["no JSON", "{auths}"],
    ["null", "null"],
    ["a list", "[]"],
    ["no auths", "{}"],
    ["no registry", secret({})],
    ["auths a text", secret("x")],
    ["an entry that is a text", secret({ a: "x" })],
    ["an entry that is null", secret({ a: null })],
    ["no auth", secret({ a: {} })],
    ["auth in other letters", secret({ a: { Auth: "x" } })],
    ["a number beyond all bounds", '{"auths":{"a":{"auth":"x","n":1e999}}}'],
    ["null after the entries", '{"auths":{"a":{"auth":"x"}},"auths":null}'],
  ];
  const good: readonly (readonly [string, string])[] = [
    ["auth", secret({ a: { auth: "x" } })],
    ["credsStore", secret({ a: { credsStore: "x" } })],
    ["auth that is null", secret({ a: { auth: null } })],
    ["auths in other letters", '{"AUTHS":{"a":{"auth":"x"}}}'],
    ["auths twice", '{"auths":{"a":{"auth":"x"}},"auths":{}}'],
    ["escapes in the key", '{"aut\\u0068s":{"a":{"auth":"x"}}}'],
    ["brackets in a text", '{"x":"}]{\\"","auths":{"a":{"auth":"x"}}}'],
  ];
  expectErrors(
    NONE,
    bad.map(([title, pullSecret]) => [title, { pullSecret }, "Invalid pullSecret"]),
  );
  expectErrors(
    NONE,
    good.map(([title, pullSecret]) => [title, { pullSecret }]),
  );
});

test("proxy", () => {
  const networks = { "networking.ovnKubernetesConfig": { ipv4: { internalJoinSubnet: "100.70.0.0/16" } } };
  expectErrors(NONE, [
    ["http alone", { "proxy.httpProxy": "http://10.9.8.7:3128" }],
    ["https alone", { "proxy.httpsProxy": "https://10.9.8.7:3128" }],
    ["neither", { proxy: { noProxy: "a" } }, "Required proxy"],
    ["httpProxy with https", { "proxy.httpProxy": "https://h" }, "NotSupported proxy.httpProxy"],
    ["no scheme", { "proxy.httpProxy": "proxy.example.org:3128" }, "NotSupported proxy.httpProxy"],
    ["an address alone", { "proxy.httpProxy": "10.9.8.7:3128" }, "Invalid proxy.httpProxy"],
    ["in a cluster network", { "proxy.httpsProxy": "http://10.132.1.1" }, "Invalid proxy.httpsProxy"],
    ["in a service network", { "proxy.httpsProxy": "http://172.31.1.1" }, "Invalid proxy.httpsProxy"],
    ["in a machine network", { "proxy.httpsProxy": "http://10.20.1.1" }],
    [
      "in the join subnet",
      { ...networks, "proxy.httpProxy": "http://100.70.0.9" },
      "Invalid proxy.httpProxy",
    ],
  ]);
  const noProxy: readonly (readonly [string, boolean])[] = [
    ["*", true],
    [".corp.example.org,10.0.0.0/8,10.1.1.1,registry,fd00::/8", true],
    ["a.", true],
    ["a, b", false],
    ["a,,b", false],
    ["*.example.org", false],
    ["a,*", false],
    ["1.2.3.4:80", false],
    ["a_b", false],
    ["a,\tb", true],
  ];
  expectErrors(
    { ...NONE, proxy: { httpProxy: "http://h" } },
    noProxy.map(([text, good]) => [
      text,
      { "proxy.noProxy": text },
      ...(good ? [] : ["Invalid proxy.noProxy"]),
    ]),
  );
});

test("mirrors", () => {
  const digest = (source: string, mirrors: string[], more = {}) => ({
    imageDigestSources: [{ source, mirrors, ...more }],
  });
  expectErrors(NONE, [
    [
      "repository and registry",
      digest("quay.io/a/b", ["registry.example.org", "registry.example.org:5000/x"]),
    ],
    ["a tag", digest("quay.io/a:v1", []), "Invalid imageDigestSources[0].source"],
    ["no source", { imageDigestSources: [{}] }, "Invalid imageDigestSources[0].source"],
    [
      "upper case",
      digest("quay.io/a", ["quay.io/b", "quay.io/B"]),
      "Invalid imageDigestSources[0].mirrors[1]",
    ],
    [
      "old list",
      { imageContentSources: [{ source: "quay.io/a:v1" }] },
      "Invalid imageContentSources[0].source",
    ],
    [
      "both lists",
      { ...digest("quay.io/a", []), imageContentSources: [{ source: "quay.io/a" }] },
      "Invalid imageContentSources",
    ],
    ["a policy", digest("quay.io/a", ["quay.io/b"], { sourcePolicy: "NeverContactSource" })],
    [
      "a policy without mirrors",
      digest("quay.io/a", [], { sourcePolicy: "NeverContactSource" }),
      "Invalid imageDigestSources[0].sourcePolicy",
    ],
    [
      "an unknown policy",
      digest("quay.io/a", ["quay.io/b"], { sourcePolicy: "x" }),
      "Invalid imageDigestSources[0].sourcePolicy",
    ],
  ]);
});

test("publish and credentials mode", () => {
  expectErrors(AWS, [
    ["Internal", { publish: "Internal" }],
    ["Mixed", { publish: "Mixed" }, "Invalid publish"],
    ["unknown", { publish: "internal" }, "NotSupported publish"],
    ["Mint", { credentialsMode: "Mint" }],
    ["an unknown mode", { credentialsMode: "mint" }, "NotSupported credentialsMode"],
    [
      "a strategy without Mixed",
      { operatorPublishingStrategy: { apiserver: "Internal" } },
      "Invalid operatorPublishingStrategy",
    ],
    [
      "values of a strategy",
      { operatorPublishingStrategy: { apiserver: "x", ingress: "y" } },
      "Invalid operatorPublishingStrategy",
      "NotSupported apiserver",
      "NotSupported ingress",
    ],
    [
      "both Internal",
      { operatorPublishingStrategy: { apiserver: "Internal", ingress: "Internal" } },
      "Invalid operatorPublishingStrategy",
      "Invalid publish",
    ],
  ]);
  expectErrors(NONE, [
    ["Internal", { publish: "Internal" }, "Invalid publish"],
    ["a mode", { credentialsMode: "Manual" }, "Invalid credentialsMode"],
  ]);
});

test("capabilities", () => {
  const none = (...extra: string[]) => ({
    capabilities: { baselineCapabilitySet: "None", additionalEnabledCapabilities: extra },
  });
  expectErrors(NONE, [
    ["vCurrent", { "capabilities.baselineCapabilitySet": "vCurrent" }],
    ["None with Ingress", none("Ingress")],
    ["None alone", none(), "Invalid capabilities"],
    [
      "an unknown set",
      { "capabilities.baselineCapabilitySet": "v4.19" },
      "Invalid capabilities",
      "NotSupported capabilities.baselineCapabilitySet",
    ],
    ["an empty object", { capabilities: {} }, "NotSupported capabilities.baselineCapabilitySet"],
    [
      "an unknown capability",
      none("Ingress", "ingress"),
      "NotSupported capabilities.additionalEnabledCapabilities[1]",
    ],
    ["marketplace without OLM", none("Ingress", "marketplace"), "Invalid additionalEnabledCapabilities"],
    ["marketplace with OLM", none("Ingress", "marketplace", "OperatorLifecycleManager")],
  ]);
  expectErrors(EXTERNAL, [
    ["no CloudCredential", none("Ingress"), "Invalid capabilities"],
    ["CloudCredential", none("Ingress", "CloudCredential")],
    [
      "a manager without its capability",
      { ...none("Ingress", "CloudCredential"), "platform.external.cloudControllerManager": "External" },
      "Invalid capabilities",
    ],
  ]);
  expectErrors(AWS, [["no manager", none("Ingress", "CloudCredential"), "Invalid capabilities"]]);
});

test("feature sets and gates", () => {
  expectErrors(NONE, [
    ["TechPreview", { featureSet: "TechPreviewNoUpgrade" }],
    ["unknown", { featureSet: "Default" }, "NotSupported featureSet"],
    ["OKD", { featureSet: "OKD" }, "Forbidden featureSet"],
    ["gates without the custom set", { featureGates: ["A=true"] }, "Forbidden featureGates"],
    ["gates", { featureSet: "CustomNoUpgrade", featureGates: ["A=true", "B=0", "C=T"] }],
    [
      "gates in other forms",
      { featureSet: "CustomNoUpgrade", featureGates: ["A", "A=yes", "A=true=x", "=true"] },
      "Invalid featureGates[0]",
      "Invalid featureGates[1]",
      "Invalid featureGates[2]",
    ],
    ["a stream", { osImageStream: "rhel-9" }, "Forbidden osImageStream"],
    [
      "an unknown stream",
      { osImageStream: "centos-10", featureSet: "TechPreviewNoUpgrade" },
      "Forbidden osImageStream",
    ],
    [
      "a gated stream",
      { osImageStream: "rhel-10", featureSet: "CustomNoUpgrade" },
      "Forbidden osImageStream",
    ],
    [
      "a gated stream with its gate",
      { osImageStream: "rhel-10", featureSet: "CustomNoUpgrade", featureGates: ["OSStreams=true"] },
    ],
    [
      "gates are not asked when the selection is wrong",
      { osImageStream: "rhel-10", featureSet: "CustomNoUpgrade", featureGates: ["x"] },
      "Invalid featureGates[0]",
    ],
  ]);
});

test("platforms", () => {
  const azure = { region: "westeurope", baseDomainResourceGroupName: "dns-rg" };
  expectErrors(NONE, [
    ["none of them", { platform: {} }, "Invalid platform"],
    ["null", { "platform.none": null }, "Invalid platform"],
    ["none and external", { "platform.external": {} }],
    ["one that is not handled", { platform: { powervc: {} } }, "NotSupported platform"],
    ["one that is gone", { platform: { ovirt: {} } }, "Forbidden platform.ovirt", "Invalid platform"],
    [
      "general rules go on",
      { platform: { powervc: {} }, baseDomain: "_", publish: "x" },
      "Invalid baseDomain",
      "NotSupported platform",
      "NotSupported publish",
    ],
    ["letter first", { platform: { azure }, "metadata.name": "1a" }, "Invalid metadata.name"],
    ["a reserved name", { platform: { azure }, "metadata.name": "xbox" }, "Invalid metadata.name"],
  ]);
  expectErrors(VSPHERE, [["no dots", { "metadata.name": "a.b" }, "Invalid metadata.name"]]);
  expectErrors(AWS, [
    ["aws and none", { "platform.none": {} }],
    ["aws and azure", { "platform.azure": azure }, "Invalid platform"],
  ]);
});

test.run();
