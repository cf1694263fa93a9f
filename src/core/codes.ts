/**
 * Every diagnostic code, with what it stands for. A code keeps its meaning for ever; a new meaning gets a new
 * code. The prefix names the area: YAML reading, IC install-config, DIR asset directory, FACT offline facts,
 * MAN manifests, CAPI infrastructure-manifests, KUB rules of the API server, IGN ignition-configs, TPL templates, CLI command line.
 */
export const CODES = {
  YAML001: "the text is not well-formed YAML or JSON",
  YAML002: "a mapping has the same key twice",
  YAML003: "an alias has no anchor, or aliases expand without bound",
  YAML004: "a key is not a string",
  YAML005: "YAML 1.1 and YAML 1.2 read this plain scalar differently",
  YAML006: "the document is empty",
  YAML007: "there is more than one document",
  KUB001: "a name, label or annotation is not legal in Kubernetes",
  KUB002: "the data of a Secret or ConfigMap is not legal",
  KUB003: "an object does not fit the schema of its kind",
  KUB004: "an object has a field that its kind does not have",
  KUB005: "an object breaks a validation rule of its kind",
  KUB006: "a rule or pattern of a CustomResourceDefinition could not be checked",
  KUB007: "a CustomResourceDefinition is not one that an API server accepts",
  CAPI001: "the infraID or the namespace is not a legal name, or a reserved one",
  CAPI002: "a file of manifests/ or openshift/ is not wrapped into a Secret",
  CAPI003: "a file is larger than a Secret may be",
  CAPI004: "a placeholder stands where the user has to name their own object",
  CAPI005: "two files would get the same Secret",
  CAPI006: "the release image is not an image reference",
  CAPI007: "the folder holds secrets and must not be committed",
  CAPI010: "a reference does not resolve",
  CAPI011: "an object is not in the namespace of the cluster",
  CAPI012: "the install-state Secret is missing or incomplete",
  CAPI013: "the selector does not select exactly the wrapped files",
  CAPI015: "the machine template reference changed although it is immutable",
  CAPI016: "kustomization.yaml does not list what is in the folder",
  CAPI017: "two documents describe the same object",
  CAPI018: "a Secret does not hold the bytes of the file that it stands for",
  CAPI019: "the labels and annotations of a manifest Secret disagree",
  CAPI020: "a document is not a Kubernetes object",
  CAPI021: "a Secret lies outside the folder that keeps secrets apart",
  TPL001: "a template cannot be compiled",
  TPL002: "a template rendered to something that is not one YAML object",
  TPL003: "a rendered object does not fit the schema of what is emitted",
} as const;

export type Code = keyof typeof CODES;
