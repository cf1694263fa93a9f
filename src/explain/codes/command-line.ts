/** Command line, fleets, functions, templates and reports: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const COMMAND_LINE: Remedies<"CLI" | "BASE" | "FLAG" | "FLEET" | "FUN" | "TPL" | "REP"> = {
  CLI001: {
    remedy: "Correct the command line; --help lists the flags.",
  },
  CLI002: {
    remedy: "Report it with the command line, without secrets.",
  },
  CLI003: {
    remedy: "Run the command again.",
  },
  BASE001: {
    remedy: "Write the last day on which the finding is accepted, such as 2027-03-31.",
  },
  BASE002: {
    remedy: "Fix the finding, or set until to a later day.",
    why: "An accepted finding without an end is never looked at again, so that each one has a last day.",
    example: `accepted:
- rule: IC132
  file: clusters/heron/install-config.yaml
  reason: the pods use the trust bundle of the proxy
  until: 2027-03-31`,
  },
  BASE003: {
    remedy: "Remove the entry; if another command finds it, set command, such as command: compat lint.",
    why: "An entry that is left over would accept the finding when it comes back.",
    example: `accepted:
- rule: R4
  command: compat lint     # not reported by validate
  reason: renamed in the next release
  until: 2027-03-31`,
  },
  BASE004: {
    remedy: "Correct the input that the command cannot read, and remove the entry.",
  },
  FLAG001: {
    remedy: "Remove the flag, or add what it depends on.",
    why: "A flag that changes nothing usually means that something else was intended, so slipway rejects it.",
    example: `slipway create manifests --dir cluster --age-recipient age1…                  # wrong
slipway create manifests --dir cluster --age-recipient age1… --secrets sops   # right`,
  },
  FLEET001: {
    remedy: "Correct the entry; docs/fleet.md describes the format.",
  },
  FLEET002: {
    remedy: "Specify for every cluster a unique name and a separate, existing directory.",
    why: "Results are reported by name, and two clusters in one directory would overwrite each other's state.",
    example: `clusters:
- {name: heron, dir: clusters/heron}
- {name: egret, dir: clusters/egret}`,
  },
  FLEET003: {
    remedy: "Change the table or the install-config so that both agree.",
  },
  FLEET004: {
    remedy: "Move the change to the table, then delete the file and run create again with the same --fleet.",
  },
  FLEET005: {
    remedy: "Pass the output of git diff --name-only -z to --changed.",
  },
  FUN001: {
    remedy: "Run slipway function from kustomize, kpt or Argo CD; see slipway explain cluster-function.",
  },
  FUN002: {
    remedy: "Provide the cluster's state, or a seed of 32 secret bytes.",
  },
  FUN003: {
    remedy: "Annotate each item with a supported input name, and put one value in it.",
  },
  TPL001: {
    remedy: "Use the name of a built-in template, and correct the syntax at the reported line.",
  },
  TPL002: {
    remedy: "Change the template so that it renders to exactly one object.",
  },
  TPL003: {
    remedy: "Change the template so that the object matches its schema.",
  },
  REP001: {
    remedy: "Choose another file name.",
  },
  REP002: {
    remedy:
      "Use plan.json of transfer plan or etcd plan, or save the output of compat plan --output json, unchanged.",
  },
};
