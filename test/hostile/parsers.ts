/** Readers of texts and bytes, called as their commands call them, each with sound inputs to damage. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { readGateSettings } from "../../src/compatibility/gate-flags.js";
import { readApiTable } from "../../src/compatibility/read/api-table.js";
import { readDependencies } from "../../src/compatibility/read/dependencies.js";
import { readCelTable, readFieldTable } from "../../src/compatibility/read/entries.js";
import { readGateTable } from "../../src/compatibility/read/gate-table.js";
import { readGatesInEffect } from "../../src/compatibility/read/gates-in-effect.js";
import { readInventory } from "../../src/compatibility/read/inventory.js";
import { readFeaturesMatrix } from "../../src/compatibility/read/openshift.js";
import { readRemovalPolicy } from "../../src/compatibility/read/removal-policy.js";
import { readStoragePins } from "../../src/compatibility/read/storage-pins.js";
import { parseVersion } from "../../src/compatibility/version.js";
import type { Problem } from "../../src/core/diagnostics.js";
import { decode } from "../../src/core/files.js";
import { isJson, isObject } from "../../src/core/json.js";
import { releaseNamed } from "../../src/core/release.js";
import { parseDuration } from "../../src/core/time.js";
import { loadCompile } from "../../src/crd/cel/compile.js";
import { INT, listOf, mapOf, STRING } from "../../src/crd/cel/types.js";
import { loadCel } from "../../src/crd/cel.js";
import { checkValue } from "../../src/crd/check.js";
import { readCrd } from "../../src/crd/read.js";
import { judgeCrd } from "../../src/crd/validation.js";
import { parseRecord } from "../../src/directory/record.js";
import { parseState } from "../../src/directory/state.js";
import { parseWorkingCopy } from "../../src/directory/working-copy.js";
import { readKmsAnswers } from "../../src/etcd/encryption/answers.js";
import { readEncryptionConfig } from "../../src/etcd/encryption/config.js";
import { readEncryptionConfigs } from "../../src/etcd/encryption/embedded.js";
import { readSubject } from "../../src/etcd/plan/subject.js";
import { readFleet } from "../../src/fleet/read.js";
import { parseRepository } from "../../src/kubernetes/image-repository.js";
import { parseAddress, parseCidr, parseMac } from "../../src/kubernetes/network.js";
import { objectFindings } from "../../src/kubernetes/object-rules.js";
import { parseQuantity } from "../../src/kubernetes/quantities.js";
import { readSelector } from "../../src/kubernetes/selectors.js";
import { readInstallConfig } from "../../src/phases/install-config/read.js";
import { pemBlocks } from "../../src/pki/pem.js";
import { firstSshKey } from "../../src/pki/ssh-public-key.js";
import { bundleFault, uselessCertificates } from "../../src/pki/trust-bundle.js";
import { readCloudFacts } from "../../src/platforms/cloud-facts.js";
import { readCoreosStream } from "../../src/platforms/coreos-stream.js";
import { planReconstruction } from "../../src/reconstruct/plan.js";
import { readIdentities } from "../../src/sops/age.js";
import { recipientsByRule } from "../../src/sops/creation-rules.js";
import { isSealed, isTorn, open, readablePart } from "../../src/sops/file.js";
import { readStorageCounts } from "../../src/storage/counts.js";
import { readStorageCrds } from "../../src/storage/crd.js";
import { readBehaviors } from "../../src/storage/read/behaviors.js";
import { readStoragePolicy } from "../../src/storage/read/policy.js";
import { readScenario } from "../../src/storage/read/scenario.js";
import { readTableSource } from "../../src/storage/read/table.js";
import { decodeText } from "../../src/text/decode-text.js";
import { compileGoPattern } from "../../src/text/go-regexp.js";
import { redactText } from "../../src/text/redact.js";
import { redactorFor } from "../../src/text/redactor.js";
import { compileOverrides } from "../../src/text/template-overrides.js";
import { parseUri } from "../../src/text/uri.js";
import { readYaml, toJson } from "../../src/text/yaml-read.js";
import { writeYaml } from "../../src/text/yaml-write.js";
import { readPlan } from "../../src/transfer/plan-file.js";
import { readTransferObjects } from "../../src/transfer/read.js";
import { readState } from "../../src/transfer/state.js";
import { ignitionProblems } from "../../src/validate/ignition/config.js";
import { bases, mutate as damage, random, readAll } from "../etcd/fuzz.js";
import type { Pick } from "./mutations.js";

export interface Parser {
  readonly name: string;
  /** Sound inputs. */
  readonly samples: readonly Buffer[];
  /** Its part of the inputs, where it takes longer than others. */
  readonly weight?: number;
  /** How to damage a sample where the usual ways do not fit. */
  readonly damage?: (sample: Buffer, pick: Pick) => Buffer;
  read(data: Buffer, report: (problem: Problem) => void): unknown;
}

type Report = (problem: Problem) => void;

/** Files of golden cases by a part of their path. */
function samplesOf(pattern: RegExp, most = 12): Buffer[] {
  const found = readdirSync("golden", { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .filter((path) => pattern.test(path.replaceAll("\\", "/")))
    .sort();
  return found
    .filter((_, i) => i % Math.ceil(found.length / most) === 0)
    .map((path) => readFileSync(path))
    .filter((data) => data.length < 200_000);
}

const texts = (...samples: readonly string[]): Buffer[] => samples.map((each) => Buffer.from(each));

/** A reader of UTF-8 texts; what is none is refused before. */
const ofText = (
  name: string,
  samples: readonly Buffer[],
  read: (text: string, report: Report) => unknown,
): Parser => ({
  name,
  samples,
  read: (data, report) => {
    const text = decode(data);
    return text === undefined ? undefined : read(text, report);
  },
});

/** A reader of values, as a parser of JSON or YAML hands them over. */
const ofValue = (
  name: string,
  samples: readonly Buffer[],
  read: (value: ReturnType<typeof toJson>, report: Report) => unknown,
): Parser =>
  ofText(name, samples, (text, report) => {
    for (const { root } of readYaml(text, name).documents) if (root !== undefined) read(toJson(root), report);
  });

/** @returns every parser; their samples are read when this is called */
export async function parsers(): Promise<readonly Parser[]> {
  const cel = await loadCel();
  const compile = await loadCompile();
  const configs = samplesOf(/input\/install-config\.yaml$/);
  const gates = samplesOf(/input\/gates[^/]*\.yaml$/);
  const apis = samplesOf(/input\/(?:apis|api-lifecycle)\.yaml$/);
  const crds = samplesOf(/storage-crd-guard\/input\/(?:old|new)\.yaml$/);
  const manifests = samplesOf(
    /expected\/.*\/(?:manifests|openshift|infrastructure-manifests)\/.*\.ya?ml$/,
    60,
  );
  const ignition = samplesOf(/expected\/.*\.ign$/, 6);
  const dumps = samplesOf(/transfer-[^/]*\/input\/.*\.yaml$/);
  const crd = crds.map((data) => toJson(readYaml(data.toString(), "crd").documents[0]?.root ?? NOTHING));
  const schema = crd.filter(isObject).map(readCrd)[0]?.versions[0]?.schema;
  const sealed = texts(
    'data: ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]\nsops:\n  age:\n  - recipient: age1x\n    enc: "-----BEGIN AGE ENCRYPTED FILE-----\\nAAAA\\n-----END AGE ENCRYPTED FILE-----\\n"\n  lastmodified: "2026-01-01T00:00:00Z"\n  mac: ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]\n  version: 3.9.0\n',
  );
  const pem = samplesOf(/input\/ca\.pem$/);
  const release = releaseNamed("4.20");
  return [
    ofText(
      "fleet",
      texts(
        "clusters/egret\n# a comment\nclusters/heron\n",
        "apiVersion: slipway.dev/v1alpha1\nkind: Fleet\ndefaults:\n  flags: {release: '4.22', lenient: true}\n  installConfig: {baseDomain: example.org}\nclusters:\n- {dir: fleet/egret, name: egret}\n- dir: fleet/stork\n  name: stork\n  flags: {release: null}\n  installConfig: {metadata: {name: stork}, compute: [{replicas: 5}]}\n",
      ),
      (text, report) => readFleet(text, "fleet.yaml", "/fleets", report),
    ),
    { name: "decodeText", samples: configs, read: (data) => decodeText(data, "x") },
    ofText("readYaml", [...configs, ...manifests], (text) => readYaml(text, "x")),
    ofValue("writeYaml", manifests, (value) => {
      if (isJson(value)) readYaml(writeYaml(value), "x");
    }),
    ofText("readInstallConfig", configs, (text, report) =>
      readInstallConfig(text, "x", { release, lenient: false }, report),
    ),
    ofText("redactText", [...configs, ...manifests], redactText),
    ofText("redactorFor", configs, (text) => redactorFor(text).text(text)),
    ofText("readCloudFacts", samplesOf(/input\/facts\.yaml$/), (text, report) =>
      readCloudFacts(text, "x", report),
    ),
    ofText("readCoreosStream", samplesOf(/input\/stream\.json$/), (text, report) =>
      readCoreosStream(text, "x", report),
    ),
    { name: "parseRecord", samples: samplesOf(/record\.json$/), read: (data) => parseRecord(data, "x") },
    { name: "parseState", samples: samplesOf(/_state\.json$/), read: (data) => parseState(data) },
    { name: "parseWorkingCopy", samples: texts('{"version":1,"files":{}}'), read: parseWorkingCopy },
    ofText("readGateTable", [...gates, ...samplesOf(/compat-import\/input\/.*\.yaml$/)], (text, report) =>
      readGateTable(text, "x", report),
    ),
    ofText("readFeaturesMatrix", samplesOf(/features\.md$/), (text, report) =>
      readFeaturesMatrix(text, "x", report),
    ),
    ofText("readDependencies", samplesOf(/needs\.yaml$/), (text, report) =>
      readDependencies(text, "x", report),
    ),
    ofText(
      "readGatesInEffect",
      texts(
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nfeatureGates: {A: true}\n",
        'kubernetes_feature_enabled{name="A",stage="BETA"} 1\n',
        "apiVersion: v1\nkind: Pod\nspec: {containers: [{command: [kube-apiserver, --feature-gates=A=true]}]}\n",
      ),
      (text, report) => readGatesInEffect(text, "x", report),
    ),
    ofText("readApiTable", apis, (text, report) => readApiTable(text, "x", report)),
    ofText("readFieldTable", samplesOf(/fields\.yaml$/), (text, report) => readFieldTable(text, "x", report)),
    ofText("readCelTable", samplesOf(/cel\.yaml$/), (text, report) => readCelTable(text, "x", report)),
    ofText("readInventory", samplesOf(/inventory\.yaml$/), (text, report) =>
      readInventory(text, "x", report),
    ),
    ofText("readRemovalPolicy", samplesOf(/compat-lint\/input\/policy\.yaml$/), (text, report) =>
      readRemovalPolicy(text, "x", "shipped", report),
    ),
    ofText("readStoragePins", samplesOf(/pins\.yaml$/), (text, report) => readStoragePins(text, "x", report)),
    ofText("readBehaviors", samplesOf(/behaviors\.yaml$/), (text, report) =>
      readBehaviors(text, "x", report),
    ),
    ofText("readTableSource", [...samplesOf(/behaviors\.yaml$/), ...apis], (text, report) =>
      readTableSource(text, "x", report),
    ),
    ofText("readStoragePolicy", samplesOf(/storage-[^/]*\/input\/policy\.yaml$/), (text, report) =>
      readStoragePolicy(text, "x", report),
    ),
    ofText("readScenario", samplesOf(/input\/(?:upgrade|rolling)\.yaml$/), (text, report) =>
      readScenario(text, "x", undefined, report),
    ),
    ofText("readStorageCrds", crds, (text, report) => readStorageCrds(text, "x", report)),
    ofText("readStorageCounts", samplesOf(/counts\.yaml$/), (text, report) => {
      const [stored] = readStorageCrds(crds[0]?.toString() ?? "", "x", report) ?? [];
      return stored === undefined ? undefined : readStorageCounts(text, "x", stored, report);
    }),
    ofValue("judgeCrd", crds, (value) =>
      isObject(value) ? judgeCrd(value, undefined, { compiler: { compile } }) : undefined,
    ),
    ofValue("readCrd", crds, (value) => (isObject(value) ? readCrd(value) : undefined)),
    ofValue("checkValue", crds, (value) =>
      schema === undefined ? undefined : checkValue(value, schema, ""),
    ),
    ofText(
      "CEL",
      texts("self.a.size() < 3 && self.b.all(x, x > 1)", "has(self.c) ? self.c == 'x' : true"),
      (text) => cel.judge(text, { a: [1], b: [2], c: "x" }),
    ),
    ofText(
      "types of CEL",
      texts(
        "self.a.size() < 3 && self.b.map(x, [x, 1u]).filter(y, y in self.?c.orValue([])).exists(i, z, i > z.d)",
        "'%s'.format([self]) == (has(self.c) ? {'a': [?self.c], self: duration('1s')}['a'][0] : -1.5e3)",
      ),
      (text) => compile(text, new Map([["self", mapOf(STRING, listOf(INT))]]), undefined),
    ),
    ofValue("objectFindings", manifests, (value) => (isObject(value) ? objectFindings(value) : undefined)),
    ofText("ignitionProblems", ignition, (text) => {
      for (const { root } of readYaml(text, "x").documents)
        if (root !== undefined)
          ignitionProblems(root, { file: "x", base: "", newest: 5, takesVersion2: true });
    }),
    ofText("readSources", samplesOf(/reconstruct\/.*objects\.yaml$/), (text, report) =>
      planReconstruction([{ file: "x", text }], { controlPlane: undefined, namespace: undefined }, report),
    ),
    ofText("readEncryptionConfig", samplesOf(/encryption\.yaml$/), (text, report) => {
      readEncryptionConfig(text, "x", report);
      readEncryptionConfigs(text, "x", report);
    }),
    ofText(
      "readKmsAnswers",
      texts('[{"provider":"p","api":"v2","keyID":"1","encryptedDEKSource":"AAAA","plaintext":"AAAA"}]'),
      (text, report) => readKmsAnswers(text, "x", report),
    ),
    {
      name: "etcd copies",
      weight: 0.1,
      samples: bases().map(({ data }) => data),
      damage: (data, pick) =>
        damage(
          { form: data.subarray(0, 1).toString() === "{" ? "dump" : "snapshot", data },
          random(pick(2 ** 31)),
        ),
      read: (data) => readAll(data.subarray(0, 1).toString() === "{" ? "dump" : "snapshot", data),
    },
    ofText("readTransferObjects", dumps, (text, report) => readTransferObjects(text, "x", report)),
    ofText("readState", dumps, (text, report) => readState([{ file: "x", text }], report)),
    ofText("readPlan", samplesOf(/plan\/plan\.json$/), (text, report) => readPlan(text, "x", report)),
    {
      name: "sops",
      samples: sealed,
      read: async (data, report) => {
        isSealed("x.yaml", data);
        isTorn("x.yaml", data);
        readablePart("x.yaml", data);
        return open("x.yaml", data, [], report);
      },
    },
    ofText("readIdentities", texts("# a\nAGE-SECRET-KEY-1QQQQQQQQQQQQ\n"), readIdentities),
    ofText(
      "recipientsByRule",
      texts("creation_rules:\n- path_regex: (a|b)*secrets/[^.]+\\.yaml$\n  age: age1x\n- {age: age1y}\n"),
      (text, report) => recipientsByRule(text, "x", "infrastructure-manifests/10_secrets.yaml", report),
    ),
    ofText("compileGoPattern", texts("^(?:a|[[:alpha:]]+?\\pL{2,3})*(?i:x)\\Q.*\\E$"), (text) => {
      const expression = compileGoPattern(text);
      expression?.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");
    }),
    ofText("PEM", pem, (text) => {
      pemBlocks(text);
      bundleFault(text);
      uselessCertificates(text, new Date(0));
    }),
    ofText(
      "firstSshKey",
      texts("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f a@b\n"),
      firstSshKey,
    ),
    ofText(
      "small texts",
      texts(
        "1.36",
        "v1.35.2-rc.1",
        "1h30m",
        "10.0.0.0/16",
        "fd00::1/64",
        "52:54:00:00:00:01",
        "1.5Gi",
        "1e3",
        "https://user@example.com:6443/a?b#c",
        "quay.io/a/b@sha256:00",
        "kube:A=true,B=false",
        "User:a",
      ),
      (text, report) => {
        parseVersion(text);
        parseDuration(text);
        parseAddress(text);
        parseCidr(text);
        parseMac(text);
        parseQuantity(text);
        parseUri(text, "reference");
        parseUri(text, "request");
        parseRepository(text);
        readSubject(text, report);
        readGateSettings([commandLineFlag("--feature-gates", text)], ["kube"], report);
      },
    ),
    ofValue(
      "readSelector",
      texts("matchLabels: {a: b}\nmatchExpressions: [{key: a, operator: In, values: [b]}]\n"),
      (value) => (isObject(value) ? readSelector(value) : undefined),
    ),
    ofText(
      "compileOverrides",
      [readFileSync("templates/openshift/99_feature-gate.yaml.hbs")],
      (text, report) =>
        compileOverrides(new Map([["openshift/99_feature-gate.yaml", { file: "x", text }]]), report),
    ),
  ];
}

const NOTHING = { type: "mapping", tag: "", line: 1, column: 1, entries: [] } as const;
