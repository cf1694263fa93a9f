/**
 * Every diagnostic code, with what it stands for. A code keeps its meaning for ever; a new meaning gets a new
 * code. The prefix names the area: YAML reading, IC install-config, DIR asset directory, FACT offline facts,
 * ID identity and kubeadmin, MAN manifests, CAPI infrastructure-manifests, IGN ignition-configs, TPL templates, CLI command line.
 */
export const CODES = {
  YAML001: "the text is not well-formed YAML or JSON",
  YAML002: "a mapping has the same key twice",
  YAML003: "an alias has no anchor, or aliases expand without bound",
  YAML004: "a key is not a string",
  YAML005: "YAML 1.1 and YAML 1.2 read this plain scalar differently",
  YAML006: "the document is empty",
  YAML007: "there is more than one document",
  ID001: "an infrastructure ID that cannot be used",
  ID002: "a cluster ID that is not a UUID",
  ID003: "the cluster name is shortened in the infrastructure ID",
  ID004: "a kubeadmin password or hash that cannot be used",
  MAN001: "the platform cannot have a single control plane machine this way",
  MAN002: "the platform's machines have no disks to set up",
  MAN003: "the platform cannot have arbiter machines in this release",
  MAN004: "an object would be named after a value that is no legal name",
  TPL001: "a template cannot be compiled",
  TPL002: "a template rendered to something that is not one YAML object",
  TPL003: "a rendered object does not fit the schema of what is emitted",
} as const;

export type Code = keyof typeof CODES;
