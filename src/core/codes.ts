/**
 * Every diagnostic code, with what it stands for. A code keeps its meaning for ever; a new meaning gets a new
 * code. The prefix names the area: YAML reading, IC install-config, DIR asset directory, FACT offline facts,
 * MAN manifests, CAPI infrastructure-manifests, IGN ignition-configs, TPL templates, CLI command line.
 */
export const CODES = {
  YAML001: "the text is not well-formed YAML or JSON",
  YAML002: "a mapping has the same key twice",
  YAML003: "an alias has no anchor, or aliases expand without bound",
  YAML004: "a key is not a string",
  YAML005: "YAML 1.1 and YAML 1.2 read this plain scalar differently",
  YAML006: "the document is empty",
  YAML007: "there is more than one document",
  DIR001: "a file or folder of the asset directory cannot be read",
  DIR002: "a file cannot be written",
  DIR003: "a path leaves the directory that is written",
  DIR004: "two writers want the same path",
  DIR005: "a symbolic link leads out of the directory that is written",
  DIR006: "something that is not a regular file or folder stands in the way",
  DIR007: "another run is at work in the directory",
  DIR008: "a file changed while the run was at work",
  DIR010: "the state file cannot be read",
  DIR011: "a member of the state file has the wrong form",
  DIR012: "the state belongs to another cluster",
  DIR013: "the state is gone, but files that were made with it are there",
  DIR020: "the record of what was generated cannot be read",
  DIR030: "a file was changed by the user and would be generated differently",
  DIR031: "a path of --ours or --theirs names nothing",
  DIR032: "a path is given to both --ours and --theirs",
  DIR040: "something in a manifest folder is not taken: a sub-folder, another kind of file",
  DIR041: "a manifest is not UTF-8 text",
  DIR042: "a manifest is too big to be read",
  DIR043: "a manifest is a symbolic link that leads out of the directory",
  TPL001: "a template cannot be compiled",
  TPL002: "a template rendered to something that is not one YAML object",
  TPL003: "a rendered object does not fit the schema of what is emitted",
} as const;

export type Code = keyof typeof CODES;
