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
  TEXT001: "the file cannot be read as text: a folder, not UTF-8",
  TEXT002: "the file is in another encoding than UTF-8",
  IC001: "the file is something else than an install-config",
  IC002: "a placeholder was not filled in",
  IC003: "lines of a shell script stand in the file",
  IC004: "the pull secret is not JSON text with a member auths",
  IC005: "a text goes over several lines and is joined by blanks",
  IC006: "the file is named unlike install-config.yaml",
  IC007: "what stands behind the first document is not read",
  IC008: "null stands where a value would select something",
  IC010: "an unknown key",
  IC011: "a key that the target release does not know",
  IC012: "a key in another spelling",
  IC013: "a value of the wrong type, or beyond its range",
  IC014: "the file exists already",
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
