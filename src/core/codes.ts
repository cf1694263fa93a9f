/**
 * Every diagnostic code, with what it stands for. A code keeps its meaning for ever; a new meaning gets a new
 * code. The prefix names the area: YAML reading, IC install-config, DIR asset directory, FACT offline facts,
 * CRED credentials files, MAN manifests, CAPI infrastructure-manifests, IGN ignition-configs, TPL templates, CLI command line.
 */
export const CODES = {
  YAML001: "the text is not well-formed YAML or JSON",
  YAML002: "a mapping has the same key twice",
  YAML003: "an alias has no anchor, or aliases expand without bound",
  YAML004: "a key is not a string",
  YAML005: "YAML 1.1 and YAML 1.2 read this plain scalar differently",
  YAML006: "the document is empty",
  YAML007: "there is more than one document",
  FACT001: "a fact that is needed offline is not given",
  FACT002: "a fact contradicts the install-config or another fact",
  FACT003: "the facts file does not have the form of CloudFacts",
  FACT004: "a default of the release is taken for want of a fact",
  FACT005: "the boot image has to be copied into the region",
  FACT006: "the file is not CoreOS stream metadata",
  FACT007: "the facts make something of the install-config doubtful",
  CRED001: "the credentials file cannot be read",
  CRED002: "the credentials file lacks something",
  CRED003: "the credentials cannot be used as the install-config says",
  CAPI101: "a value breaks a rule of the infrastructure provider",
  CAPI102: "a value makes trouble at the infrastructure provider",
  TPL001: "a template cannot be compiled",
  TPL002: "a template rendered to something that is not one YAML object",
  TPL003: "a rendered object does not fit the schema of what is emitted",
} as const;

export type Code = keyof typeof CODES;
