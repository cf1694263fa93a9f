import { suite } from "uvu";
import * as assert from "uvu/assert";
import { byCodeUnit, decode, encode, type OutputFile, textFile } from "../../src/core/files.js";
import type { JsonObject } from "../../src/core/json.js";
import { readCrd } from "../../src/crd/schema.js";
import { manifestSecret } from "../../src/kubernetes/manifest-secrets.js";
import { writeYaml } from "../../src/text/yaml-write.js";
import {
  emittedValidators,
  type InfrastructureDirectory,
  machineTemplateProblems,
  type ValidationOptions,
  validateInfrastructure,
} from "../../src/validate/infrastructure.js";
import {
  INFRA_ID,
  INSTALL_CONFIG,
  MANIFESTS,
  options,
  platformWith,
  runPhase,
  STATE,
} from "../helpers/infrastructure.js";
import { PLANTED } from "../helpers/planted.js";

const test = suite("validation of infrastructure-manifests on disk");

type Files = Map<string, OutputFile>;
const FOLDER = "infrastructure-manifests";
const SECRETS = "infrastructure-manifests-secrets";
const GROUP = "infrastructure.cluster.x-k8s.io";

const widget = (kind: string, name: string): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name, namespace: INFRA_ID },
  spec: { zone: "a" },
});

/** A directory that is ready: what the phase writes, with the two objects of a provider of one's own. */
function directory(changes: Parameters<typeof options>[0] = {}): Files {
  const own = { apiVersion: `${GROUP}/v1`, placeholder: false };
  const { files } = runPhase({
    "infrastructure-options": options(changes),
    platform: platformWith({
      cluster: { ...own, kind: "WidgetCluster", name: INFRA_ID },
      machineTemplate: { ...own, kind: "WidgetTemplate", name: "masters" },
    }),
  });
  const all = [
    ...files,
    ...MANIFESTS,
    textFile(".openshift_install_state.json", decode(STATE) ?? ""),
    textFile("install-config.yaml", decode(INSTALL_CONFIG) ?? ""),
    textFile(`${FOLDER}/40_infrastructure-cluster.yaml`, writeYaml(widget("WidgetCluster", INFRA_ID))),
    textFile(`${FOLDER}/50_machine-template.yaml`, writeYaml(widget("WidgetTemplate", "masters"))),
  ];
  const found: Files = new Map(all.map((file) => [file.path, file]));
  edit(
    found,
    `${FOLDER}/kustomization.yaml`,
    "resources:\n",
    "resources:\n- 40_infrastructure-cluster.yaml\n- 50_machine-template.yaml\n",
  );
  return found;
}

const text = (files: Files, path: string): string => {
  const file = files.get(path);
  if (file === undefined) throw new Error(`no ${path}`);
  return decode(file.data) ?? "";
};
function edit(files: Files, path: string, from: string | RegExp, to: string): void {
  const before = text(files, path);
  const after = before.replace(from, to);
  if (before === after) throw new Error(`${path} has no ${from}`);
  files.set(path, textFile(path, after));
}
const add = (files: Files, path: string, content: string): void => {
  files.set(path, textFile(path, content));
  if (!path.startsWith(`${FOLDER}/`)) return;
  edit(
    files,
    `${FOLDER}/kustomization.yaml`,
    "resources:\n",
    `resources:\n- ${path.slice(FOLDER.length + 1)}\n`,
  );
};
const drop = (files: Files, path: string): void => {
  files.delete(path);
  const [folder = "", name = ""] = path.split("/");
  if (files.has(`${folder}/kustomization.yaml`))
    edit(files, `${folder}/kustomization.yaml`, `- ${name}\n`, "");
};

const emitted = await emittedValidators();

/** `severity code kind file "the line that is pointed at" field`; the folder is left out of the file. */
const check = (
  files: Files,
  more: Partial<InfrastructureDirectory> = {},
  how: ValidationOptions = {},
): string[] =>
  validateInfrastructure({ files, controllerNamespace: "capa-system", ...more }, { emitted, ...how }).map(
    ({ severity, code, kind, file, line, field }) => {
      const pointed = line === 0 ? "" : (text(files, file).split("\n")[line - 1] ?? "?").trim().slice(0, 50);
      return `${severity} ${code} ${kind} ${file.replace(`${FOLDER}/`, "")} "${pointed}" ${field}`;
    },
  );

const CONTROL_PLANE = `${FOLDER}/60_openshift-control-plane.yaml`;
const CLUSTER = `${FOLDER}/70_cluster.yaml`;
const STATE_SECRET = `${FOLDER}/20_install-state.yaml`;
const WRAP = `${FOLDER}/30_manifest-manifests-cluster-config.yaml`;
const DNS_WRAP = `${FOLDER}/30_manifest-manifests-cluster-dns-02-config.yml.yaml`;
const KUSTOMIZATION = `${FOLDER}/kustomization.yaml`;

test("what the phase writes is in order, in every form", () => {
  for (const contract of ["v1beta1", "v1beta2"] as const)
    for (const secrets of ["inline", "separate"] as const)
      assert.equal(check(directory({ contract, secrets })), [], `${contract} ${secrets}`);
});

test("a directory where the phase was not run has nothing to check", () => {
  assert.equal(check(new Map(MANIFESTS.map((file) => [file.path, file]))), []);
});

test("placeholders make the directory not ready, and nothing else is said of them", () => {
  for (const contract of ["v1beta1", "v1beta2"] as const) {
    const { files } = runPhase({ "infrastructure-options": options({ contract }) });
    const found = check(new Map([...files, ...MANIFESTS].map((file) => [file.path, file])));
    assert.equal(
      found.map((each) => each.replace(/"[^"]*" /, "")),
      [
        "error CAPI004 Required 60_openshift-control-plane.yaml spec.machineTemplate.infrastructureRef.kind",
        "error CAPI004 Required 60_openshift-control-plane.yaml spec.machineTemplate.infrastructureRef.name",
        "error CAPI004 Required 70_cluster.yaml spec.infrastructureRef.kind",
        "error CAPI004 Required 70_cluster.yaml spec.infrastructureRef.name",
      ],
      contract,
    );
  }
  const filled = directory();
  edit(
    filled,
    CLUSTER,
    "  name: egret",
    "  annotations:\n    slipway.dev/placeholder: spec.infrastructureRef\n  name: egret",
  );
  assert.equal(check(filled), [
    'info CAPI004 Invalid 70_cluster.yaml "slipway.dev/placeholder: spec.infrastructureRef" metadata.annotations[slipway.dev/placeholder]',
  ]);
});

const CASES: readonly [name: string, change: (files: Files) => void, expected: readonly string[]][] = [
  [
    "a file that is not YAML",
    (f) => f.set(CLUSTER, textFile(CLUSTER, "a: [")),
    ['error YAML001 Parse 70_cluster.yaml "a: [" a[0]'],
  ],
  [
    "a file that is not an object",
    (f) => add(f, `${FOLDER}/80_x.yaml`, "- a\n"),
    ['error CAPI020 Invalid 80_x.yaml "- a" '],
  ],
  [
    "a file that is empty",
    (f) => add(f, `${FOLDER}/80_x.yaml`, "# nothing\n"),
    ['error CAPI020 Invalid 80_x.yaml "# nothing" '],
  ],
  [
    "a document without kind",
    (f) => add(f, `${FOLDER}/80_x.yaml`, "apiVersion: v1\n"),
    ['error CAPI020 Invalid 80_x.yaml "apiVersion: v1" '],
  ],
  [
    "a second document and a List are looked into",
    (f) =>
      add(
        f,
        `${FOLDER}/80_x.yaml`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: ${INFRA_ID}\n---\napiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: B\n    namespace: ${INFRA_ID}\n`,
      ),
    ['error KUB001 Invalid 80_x.yaml "name: B" items[0].metadata.name'],
  ],
  [
    "a list of one kind inside a List is looked into, and its items need not say what they are",
    (f) =>
      add(
        f,
        `${FOLDER}/80_x.yaml`,
        `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMapList\n  items:\n  - metadata:\n      name: B\n      namespace: ${INFRA_ID}\n`,
      ),
    ['error KUB001 Invalid 80_x.yaml "name: B" items[0].items[0].metadata.name'],
  ],
  ["the Cluster is gone", (f) => drop(f, CLUSTER), ['error CAPI010 NotFound  "" ']],
  [
    "the infrastructure reference is misspelt",
    (f) => edit(f, CLUSTER, "kind: WidgetCluster", "kind: WidgetsCluster"),
    ['error CAPI010 NotFound 70_cluster.yaml "kind: WidgetsCluster" spec.infrastructureRef.kind'],
  ],
  [
    "the referred object is renamed",
    (f) => edit(f, `${FOLDER}/50_machine-template.yaml`, "name: masters", "name: master"),
    [
      'error CAPI010 NotFound 60_openshift-control-plane.yaml "name: masters" spec.machineTemplate.infrastructureRef.name',
    ],
  ],
  [
    "the version of a reference differs",
    (f) => edit(f, CLUSTER, `${GROUP}/v1`, `${GROUP}/v2`),
    [
      'error CAPI010 NotFound 70_cluster.yaml "apiVersion: infrastructure.cluster.x-k8s.io/v2" spec.infrastructureRef.apiVersion',
    ],
  ],
  [
    "the group of a reference differs",
    (f) => edit(f, CLUSTER, `${GROUP}/v1`, "other.example.com/v1"),
    ['error CAPI010 NotFound 70_cluster.yaml "kind: WidgetCluster" spec.infrastructureRef.kind'],
  ],
  [
    "the namespace of a reference differs",
    (f) => edit(f, CLUSTER, /namespace: egret-abcde\n$/, "namespace: other\n"),
    ['error CAPI010 NotFound 70_cluster.yaml "namespace: other" spec.infrastructureRef.namespace'],
  ],
  [
    "an object is in another namespace",
    (f) => edit(f, `${FOLDER}/50_machine-template.yaml`, "namespace: egret-abcde", "namespace: other"),
    ['error CAPI011 Invalid 50_machine-template.yaml "namespace: other" metadata.namespace'],
  ],
  [
    "an object has no namespace",
    (f) => edit(f, `${FOLDER}/50_machine-template.yaml`, "  namespace: egret-abcde\n", ""),
    ['error CAPI011 Required 50_machine-template.yaml "name: masters" metadata.namespace'],
  ],
  [
    "the Namespace is renamed",
    (f) => edit(f, `${FOLDER}/00_namespace.yaml`, "\n  name: egret-abcde", "\n  name: egret"),
    ['error CAPI011 Invalid 00_namespace.yaml "name: egret" metadata.name'],
  ],
  [
    "a Secret of the controller's namespace may be there",
    (f) =>
      add(
        f,
        `${FOLDER}/10_credentials-x.yaml`,
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: c\n  namespace: capa-system\n",
      ),
    [],
  ],
  [
    "an identity without its Secret is a warning",
    (f) =>
      add(
        f,
        `${FOLDER}/10_credentials-x.yaml`,
        `apiVersion: ${GROUP}/v1beta2\nkind: AWSClusterStaticIdentity\nmetadata:\n  name: c\nspec:\n  allowedNamespaces: {}\n  secretRef: gone\n`,
      ),
    ['warning CAPI010 NotFound 10_credentials-x.yaml "secretRef: gone" spec.secretRef'],
  ],
  [
    "the same object twice",
    (f) => add(f, `${FOLDER}/80_x.yaml`, text(f, `${FOLDER}/00_namespace.yaml`)),
    ['error CAPI017 Duplicate 80_x.yaml "name: egret-abcde" metadata.name'],
  ],
  [
    "an unknown field of our own kind",
    (f) => edit(f, CONTROL_PLANE, "spec:\n", "spec:\n  replicas: 3\n"),
    ['error KUB004 Invalid 60_openshift-control-plane.yaml "replicas: 3" spec.replicas'],
  ],
  [
    "an illegal name in our own kind",
    (f) => edit(f, CONTROL_PLANE, /name: egret-abcde-install-state/, "name: Egret"),
    [
      'error CAPI012 NotFound 60_openshift-control-plane.yaml "name: Egret" spec.installStateSecretRef.name',
      'error KUB003 Invalid 60_openshift-control-plane.yaml "name: Egret" spec.installStateSecretRef.name',
    ],
  ],
  [
    "a field of the Cluster that slipway does not write",
    (f) => edit(f, CLUSTER, "spec:\n", "spec:\n  paused: true\n"),
    ['info KUB004 Invalid 70_cluster.yaml "paused: true" spec.paused'],
  ],
  [
    "a field of the Cluster of the wrong type",
    (f) => edit(f, CLUSTER, "apiServerPort: 6443", "apiServerPort: '6443'"),
    ["error KUB003 Invalid 70_cluster.yaml \"apiServerPort: '6443'\" spec.clusterNetwork.apiServerPort"],
  ],
  [
    "the Cluster without its control plane",
    (f) => edit(f, CLUSTER, / {2}controlPlaneRef:\n( {4}.*\n){4}/, ""),
    ['error KUB003 Required 70_cluster.yaml "clusterNetwork:" spec.controlPlaneRef'],
  ],
  [
    "the v1beta2 shape in a v1beta1 Cluster",
    (f) => edit(f, CLUSTER, "apiVersion: cluster.openshift.io/v1alpha1", "apiGroup: cluster.openshift.io"),
    [
      'error KUB003 Required 70_cluster.yaml "apiGroup: cluster.openshift.io" spec.controlPlaneRef.apiVersion',
      'error CAPI010 Invalid 70_cluster.yaml "apiGroup: cluster.openshift.io" spec.controlPlaneRef.apiGroup',
      'info KUB004 Invalid 70_cluster.yaml "apiGroup: cluster.openshift.io" spec.controlPlaneRef.apiGroup',
    ],
  ],
  [
    "an illegal label",
    (f) => edit(f, STATE_SECRET, "cluster-name: egret-abcde", "cluster-name: -egret"),
    [
      'error KUB001 Invalid 20_install-state.yaml "cluster.x-k8s.io/cluster-name: -egret" metadata.labels[cluster.x-k8s.io/cluster-name]',
    ],
  ],
  [
    "data that is not base64",
    (f) => edit(f, STATE_SECRET, /install-config.yaml: .*/, "install-config.yaml: '#'"),
    [
      "warning CAPI012 Required 20_install-state.yaml \"install-config.yaml: '#'\" data[install-config.yaml]",
      "error KUB002 Invalid 20_install-state.yaml \"install-config.yaml: '#'\" data[install-config.yaml]",
    ],
  ],
  [
    "an illegal key",
    (f) => edit(f, STATE_SECRET, "install-config.yaml:", "install config:"),
    [
      'warning CAPI012 Required 20_install-state.yaml ".openshift_install_state.json: ewogICAgIippbnN0YWx" data[install-config.yaml]',
      'error KUB002 Invalid 20_install-state.yaml "install config: IyBhcyB0aGUgdXNlciB3cm90ZSBpdAphcG" data[install config]',
    ],
  ],
  [
    "base64 in several lines is what Go reads too",
    (f) => edit(f, WRAP, /cluster-config.yaml: (....)(.*)/, "cluster-config.yaml: |\n    $1\n    $2"),
    [],
  ],
  [
    "a wrap in stringData",
    (f) =>
      edit(
        f,
        WRAP,
        /data:\n {2}cluster-config.yaml: .*/,
        'stringData:\n  cluster-config.yaml: "apiVersion: v1\\nkind: ConfigMap\\n"',
      ),
    [],
  ],
  [
    "the install-state Secret is gone",
    (f) => drop(f, STATE_SECRET),
    [
      'error CAPI012 NotFound 60_openshift-control-plane.yaml "name: egret-abcde-install-state" spec.installStateSecretRef.name',
    ],
  ],
  [
    "the state is gone from its Secret",
    (f) => edit(f, STATE_SECRET, / {2}.openshift_install_state.json: .*\n/, ""),
    [
      'error CAPI012 Required 20_install-state.yaml "install-config.yaml: IyBhcyB0aGUgdXNlciB3cm90ZSBpd" data[.openshift_install_state.json]',
    ],
  ],
  [
    "the install-config is gone from the Secret",
    (f) => edit(f, STATE_SECRET, / {2}install-config.yaml: .*\n/, ""),
    [
      'warning CAPI012 Required 20_install-state.yaml ".openshift_install_state.json: ewogICAgIippbnN0YWx" data[install-config.yaml]',
    ],
  ],
  [
    "the state on disk changed",
    (f) => edit(f, ".openshift_install_state.json", "egret", "heron"),
    [
      'error CAPI018 Invalid 20_install-state.yaml ".openshift_install_state.json: ewogICAgIippbnN0YWx" data[.openshift_install_state.json]',
    ],
  ],
  [
    "a wrapped file changed",
    (f) => edit(f, "manifests/cluster-config.yaml", "ConfigMap", "Secret"),
    [
      'error CAPI018 Invalid 30_manifest-manifests-cluster-config.yaml "cluster-config.yaml: YXBpVmVyc2lvbjogdjEKa2luZDogQ" data',
    ],
  ],
  [
    "a wrapped file is gone",
    (f) => f.delete("manifests/cluster-config.yaml"),
    [
      'error CAPI018 NotFound 30_manifest-manifests-cluster-config.yaml "cluster.openshift.io/manifest-path: manifests/clus" metadata.annotations[cluster.openshift.io/manifest-path]',
    ],
  ],
  [
    "a file was added",
    (f) => f.set("openshift/new.json", textFile("openshift/new.json", "{}")),
    ['error CAPI018 NotFound openshift/new.json "" '],
  ],
  [
    "a clone without the two folders has nothing to compare",
    (f) => {
      for (const { path } of MANIFESTS) f.delete(path);
    },
    [],
  ],
  [
    "a file wrapped twice",
    (f) => {
      const { labels, annotations, key } = manifestSecret(
        { folder: "manifests", file: "cluster-config.yaml" },
        INFRA_ID,
      );
      add(
        f,
        `${FOLDER}/31_x.yaml`,
        writeYaml({
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "twice", namespace: INFRA_ID, labels, annotations },
          data: { [key]: "" },
        }),
      );
    },
    [
      'error CAPI018 Duplicate 31_x.yaml "cluster.openshift.io/manifest-path: manifests/clus" metadata.annotations[cluster.openshift.io/manifest-path]',
    ],
  ],
  [
    "folder label and path disagree",
    (f) => edit(f, WRAP, "manifest-folder: manifests", "manifest-folder: openshift"),
    [
      'error CAPI019 Invalid 30_manifest-manifests-cluster-config.yaml "cluster.openshift.io/manifest-folder: openshift" metadata.labels[cluster.openshift.io/manifest-folder]',
    ],
  ],
  [
    "key and path disagree",
    (f) => edit(f, WRAP, "  cluster-config.yaml:", "  other.yaml:"),
    [
      'error CAPI019 Invalid 30_manifest-manifests-cluster-config.yaml "other.yaml: YXBpVmVyc2lvbjogdjEKa2luZDogQ29uZmlnTW" data',
    ],
  ],
  [
    "the annotation says not to include it",
    (f) => edit(f, WRAP, /include-in-ignition: .*/, "include-in-ignition: 'false'"),
    [
      "error CAPI019 Invalid 30_manifest-manifests-cluster-config.yaml \"cluster.openshift.io/include-in-ignition: 'false'\" metadata.annotations[cluster.openshift.io/include-in-ignition]",
    ],
  ],
  [
    "another Cluster's label",
    (f) => edit(f, WRAP, "cluster-name: egret-abcde", "cluster-name: heron"),
    [
      'error CAPI013 Invalid 30_manifest-manifests-cluster-config.yaml "cluster.openshift.io/ignition: include" metadata.labels',
      'error CAPI019 Invalid 30_manifest-manifests-cluster-config.yaml "cluster.x-k8s.io/cluster-name: heron" metadata.labels[cluster.x-k8s.io/cluster-name]',
    ],
  ],
  [
    "no move label",
    (f) => edit(f, WRAP, / {4}clusterctl.cluster.x-k8s.io\/move: ''\n/, ""),
    [
      'warning CAPI019 Required 30_manifest-manifests-cluster-config.yaml "cluster.openshift.io/ignition: include" metadata.labels[clusterctl.cluster.x-k8s.io/move]',
    ],
  ],
  [
    "the ignition label is gone",
    (f) => edit(f, WRAP, / {4}cluster.openshift.io\/ignition: include\n/, ""),
    [
      'error CAPI013 Invalid 30_manifest-manifests-cluster-config.yaml "cluster.openshift.io/manifest-folder: manifests" metadata.labels',
      'error CAPI019 Invalid 30_manifest-manifests-cluster-config.yaml "cluster.openshift.io/manifest-folder: manifests" metadata.labels[cluster.openshift.io/ignition]',
    ],
  ],
  [
    "the selector selects too much",
    (f) => edit(f, CONTROL_PLANE, / {6}cluster.openshift.io\/ignition: include\n/, ""),
    ['error CAPI013 Invalid 60_openshift-control-plane.yaml "matchLabels:" spec.manifestsSelector'],
  ],
  [
    "expressions select as labels do",
    (f) =>
      edit(
        f,
        CONTROL_PLANE,
        /matchLabels:\n(.*\n){2}/,
        "matchExpressions:\n    - {key: cluster.openshift.io/ignition, operator: In, values: [include]}\n",
      ),
    [],
  ],
  [
    "expressions that leave one out",
    (f) =>
      edit(
        f,
        CONTROL_PLANE,
        "    matchLabels:\n",
        "    matchExpressions:\n    - {key: cluster.openshift.io/manifest-folder, operator: NotIn, values: [openshift]}\n    matchLabels:\n",
      ),
    [
      'error CAPI013 Invalid 30_manifest-openshift-99--kubeadmin-password-secret.yaml "cluster.openshift.io/ignition: include" metadata.labels',
    ],
  ],
  [
    "a malformed selector",
    (f) =>
      edit(
        f,
        CONTROL_PLANE,
        "    matchLabels:\n",
        "    matchExpressions:\n    - {key: a, operator: Is}\n    matchLabels:\n",
      ),
    [
      'error CAPI013 Invalid 60_openshift-control-plane.yaml "- {key: a, operator: Is}" spec.manifestsSelector.matchExpressions[0].operator',
    ],
  ],
  [
    "an empty selector",
    (f) => edit(f, CONTROL_PLANE, /manifestsSelector:\n(.*\n){3}/, "manifestsSelector: {}\n"),
    ['error CAPI013 Invalid 60_openshift-control-plane.yaml "manifestsSelector: {}" spec.manifestsSelector'],
  ],
  [
    "no selector",
    (f) => edit(f, CONTROL_PLANE, / {2}manifestsSelector:\n(.*\n){3}/, ""),
    [
      'error CAPI013 Required 60_openshift-control-plane.yaml "installStateSecretRef:" spec.manifestsSelector',
    ],
  ],
  [
    "a file that kustomization.yaml does not list",
    (f) => edit(f, KUSTOMIZATION, "- 20_install-state.yaml\n", ""),
    ['error CAPI016 Invalid kustomization.yaml "- 40_infrastructure-cluster.yaml" resources'],
  ],
  [
    "a listed file that is not there",
    (f) => edit(f, KUSTOMIZATION, "- 20_install-state.yaml", "- 20_install-state.yaml\n- 90_x.yaml"),
    ['error CAPI016 Invalid kustomization.yaml "- 90_x.yaml" resources'],
  ],
  [
    "a file listed twice",
    (f) =>
      edit(f, KUSTOMIZATION, "- 20_install-state.yaml", "- 20_install-state.yaml\n- ./20_install-state.yaml"),
    ['error CAPI016 Invalid kustomization.yaml "- ./20_install-state.yaml" resources'],
  ],
  [
    "resources elsewhere are the user's business",
    (f) =>
      edit(
        f,
        KUSTOMIZATION,
        "- 20_install-state.yaml",
        "- 20_install-state.yaml\n- ../mine\n- https://example.com/x.yaml",
      ),
    [],
  ],
  [
    "no kustomization.yaml",
    (f) => f.delete(KUSTOMIZATION),
    ['warning CAPI016 NotFound kustomization.yaml "" '],
  ],
  [
    "a README is not a concern",
    (f) => f.set(`${FOLDER}/README.md`, textFile(`${FOLDER}/README.md`, "hello")),
    [],
  ],
];
for (const [name, change, expected] of CASES)
  test(name, () => {
    const files = directory();
    change(files);
    assert.equal(check(files), expected);
  });

test("with secrets apart, one in the committed folder is an error", () => {
  const files = directory({ secrets: "separate" });
  const moved = `${SECRETS}/20_install-state.yaml`;
  const content = text(files, moved);
  drop(files, moved);
  add(files, `${FOLDER}/20_install-state.yaml`, content);
  assert.equal(check(files), ['error CAPI021 Forbidden 20_install-state.yaml "kind: Secret" kind']);
});

test("a clone without the folder of secrets is told so once", () => {
  const files = directory({ secrets: "separate" });
  for (const path of [...files.keys()])
    if (path.startsWith(`${SECRETS}/`) || !path.startsWith(`${FOLDER}/`)) files.delete(path);
  assert.equal(check(files), [`warning CAPI012 NotFound ${SECRETS}/ "" `]);
});

test("what the record says decides between a fault and the user's own will", () => {
  const files = directory();
  edit(files, "manifests/cluster-config.yaml", "ConfigMap", "Secret");
  drop(files, DNS_WRAP);
  const history = (path: string) => (path === WRAP ? "edited" : path === DNS_WRAP ? "removed" : "untouched");
  assert.equal(check(files, { history }), [
    'warning CAPI018 Invalid 30_manifest-manifests-cluster-config.yaml "cluster-config.yaml: YXBpVmVyc2lvbjogdjEKa2luZDogQ" data',
    'warning CAPI018 NotFound manifests/cluster-dns-02-config.yml "" ',
  ]);
  assert.equal(check(files, { history: () => "untouched" }), [
    'error CAPI018 Invalid 30_manifest-manifests-cluster-config.yaml "cluster-config.yaml: YXBpVmVyc2lvbjogdjEKa2luZDogQ" data',
    'error CAPI018 NotFound manifests/cluster-dns-02-config.yml "" ',
  ]);
});

test("values of the machine template that no controller can use", () => {
  const faults = (lines: string): string[] => {
    const files = directory();
    edit(files, CONTROL_PLANE, "  machineTemplate:\n", `  machineTemplate:\n${lines}`);
    return check(files).map((each) => each.replace(/ 60_.*" /, " "));
  };
  assert.equal(faults("    nodeDrainTimeout: 1h30m\n    nodeDeletionTimeout: '0'\n"), []);
  assert.equal(faults("    nodeDrainTimeout: 1 hour\n    nodeVolumeDetachTimeout: '90'\n"), [
    "error CAPI050 Invalid spec.machineTemplate.nodeDrainTimeout",
    "error CAPI050 Invalid spec.machineTemplate.nodeVolumeDetachTimeout",
  ]);
  assert.equal(faults("    metadata: {labels: {rack: r1}, annotations: {note: any text}}\n"), []);
  assert.equal(faults("    metadata: {labels: {rack: 'r 1'}}\n"), [
    "error KUB001 Invalid spec.machineTemplate.metadata.labels[rack]",
  ]);
});

test("a changed machine template is a warning, against what slipway generates", () => {
  const files = directory();
  const compiled = [...files.values()];
  assert.equal(check(files, { compiled }), []);
  edit(files, CONTROL_PLANE, "name: masters", "name: renamed");
  edit(files, `${FOLDER}/50_machine-template.yaml`, "name: masters", "name: renamed");
  assert.equal(check(files, { compiled }), [
    'warning CAPI015 Forbidden 60_openshift-control-plane.yaml "infrastructureRef:" spec.machineTemplate',
  ]);
  const [before] = compiled.filter(({ path }) => path === CONTROL_PLANE);
  const after = files.get(CONTROL_PLANE);
  if (before === undefined || after === undefined) throw new Error("no control plane");
  const [warned, ...more] = machineTemplateProblems(before, after);
  assert.is(more.length, 0);
  assert.match(
    warned?.hint ?? "",
    /replacing the control plane would delete its machines and the cluster's etcd data/,
  );
  assert.equal(machineTemplateProblems(before, before), []);
  // A placeholder is there to be replaced.
  const { files: placeholders } = runPhase();
  assert.equal(check(files, { compiled: placeholders }), []);
});

test("without a definition, values that the phase never writes are warned of, and those of another type are errors", () => {
  const found = (enabled: string): string[] => {
    const files = directory();
    const own = {
      apiVersion: `${GROUP}/v1beta2`,
      kind: "AWSCluster",
      metadata: { name: "own", namespace: INFRA_ID },
    };
    add(
      files,
      `${FOLDER}/41_own.yaml`,
      `${writeYaml(own)}spec:\n  region: eu-west-1\n  bastion:\n    enabled: ${enabled}\n`,
    );
    return check(files).filter((each) => / KUB003 .* spec\.bastion/.test(each));
  };
  assert.equal(found("false"), []);
  assert.equal(found("true"), [
    'warning KUB003 NotSupported 41_own.yaml "enabled: true" spec.bastion.enabled',
  ]);
  assert.equal(found("5"), ['error KUB003 NotSupported 41_own.yaml "enabled: 5" spec.bastion.enabled']);
});

test("with a definition of the kind, unknown and missing fields are errors", () => {
  const crd = readCrd({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { kind: "WidgetCluster", plural: "widgetclusters" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", required: ["region"], properties: { region: { type: "string" } } },
              },
            },
          },
        },
      ],
    },
  });
  if (crd === undefined) throw new Error("no definition");
  assert.equal(check(directory(), {}, { crds: [crd] }), [
    'error KUB003 Required 40_infrastructure-cluster.yaml "zone: a" spec.region',
    'error KUB004 Invalid 40_infrastructure-cluster.yaml "zone: a" spec.zone',
  ]);
});

test("no secret stands in any message, however the files are broken", () => {
  const files = directory();
  const secret = PLANTED.password;
  const encoded = Buffer.from(secret).toString("base64");
  const content = (data: JsonObject): string =>
    writeYaml({ apiVersion: "v1", kind: "Secret", metadata: { name: "x", namespace: INFRA_ID }, ...data });
  const broken = [
    content({ data: { a: secret } }),
    content({ data: { a: [encoded] } }),
    content({ stringData: { a: { b: secret } } }),
    content({ data: encoded }),
    content({ type: 5, data: { "a b": encoded } }),
  ];
  broken.forEach((each, i) => {
    add(files, `${FOLDER}/8${i}_x.yaml`, each);
  });
  const all = JSON.stringify(validateInfrastructure({ files }, { emitted }));
  assert.ok(all.length > 500);
  assert.not.ok(all.includes(secret) || all.includes(encoded));
});

test("any bytes in any file are read without a crash", () => {
  const pieces = [
    "\0",
    "\ufeff",
    "{",
    "- ",
    "kind: Secret\n",
    "a: &a [*a]\n",
    "---\n",
    "metadata: 5\n",
    "data: []\n",
    "spec: x\n",
    "apiVersion: v1\n",
  ];
  const names = [...directory().keys()].filter((path) => path.startsWith(`${FOLDER}/`)).sort(byCodeUnit);
  names.forEach((path, i) => {
    for (const piece of pieces) {
      const files = directory();
      const before = text(files, path);
      const at = (before.length * (i + 1)) % before.length;
      files.set(path, { path, data: encode(before.slice(0, at) + piece + before.slice(at)), secret: false });
      check(files);
      files.set(path, { path, data: encode(piece), secret: false });
      check(files);
      files.set(path, { path, data: Uint8Array.of(0xff, 0xfe, 0), secret: false });
      check(files);
    }
  });
});

test.run();
