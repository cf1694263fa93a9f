/** Text and YAML: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const YAML_AND_TEXT: Remedies<"YAML" | "TEXT"> = {
  YAML001: {
    remedy: "Fix the syntax at the reported line and column.",
    why: "A file that cannot be parsed has no fields to check, so parsing stops at the first error. Merge conflict markers left by Git are reported with this code too.",
    example: `metadata:
  name:heron      # wrong: missing space after ":"
  name: heron     # right`,
  },
  YAML002: {
    remedy: "Remove one of the two entries.",
    why: "The installer rejects duplicate keys. Other YAML readers silently use the last one, so the two would disagree about your cluster.",
    example: `networking:
  networkType: OVNKubernetes
  networkType: OVNKubernetes    # remove this line`,
  },
  YAML003: {
    remedy: "Define the anchor before the alias, or write the value out.",
  },
  YAML004: {
    remedy: "Write the key as plain text or put it in quotes.",
    why: "Kubernetes objects are JSON objects, and JSON keys are strings. Keys such as null, lists or mappings cannot be converted.",
    example: `? [a]      # wrong: a list as key
: b
"a": b     # right`,
  },
  YAML005: {
    remedy: "Put the value in quotes.",
    why: "The installer reads YAML 1.1, where yes and on are booleans and 014 is an octal number. Editors and other tools read YAML 1.2. Quotes give one meaning everywhere.",
    example: `name: yes      # true in YAML 1.1, text in YAML 1.2
name: "yes"    # text everywhere`,
  },
  YAML006: {
    remedy: "Add the expected document, or specify another file.",
  },
  YAML007: {
    remedy: "Keep one document per file.",
    why: 'Most readers use only the first document. Anything after the first "---" would be ignored without notice.',
    example: `apiVersion: v1
metadata: {name: heron}
---                 # move everything below this line to another file`,
  },
  TEXT001: {
    remedy: "Save the file as UTF-8.",
  },
  TEXT002: {
    remedy: "Save the file as UTF-8 without a byte order mark.",
  },
};
