/** The remedies of all codes, by area. */
import type { Code } from "../../core/codes.js";
import { AGENT } from "./agent.js";
import { CLOUD } from "./cloud.js";
import { CLUSTER_API } from "./cluster-api.js";
import { COMMAND_LINE } from "./command-line.js";
import { COMPATIBILITY } from "./compatibility.js";
import { DIRECTORY } from "./directory.js";
import { ETCD } from "./etcd.js";
import { IGNITION } from "./ignition.js";
import { IMAGE_BASED } from "./image-based.js";
import { INSTALL_CONFIG } from "./install-config.js";
import type { CommonRemedy, Remedy } from "./remedy.js";
import { STORAGE } from "./storage.js";
import { TABLES } from "./tables.js";
import { TRANSFER } from "./transfer.js";
import { YAML_AND_TEXT } from "./yaml-and-text.js";

export const REMEDIES: { readonly [C in Code]: Remedy | CommonRemedy } = {
  ...YAML_AND_TEXT,
  ...INSTALL_CONFIG,
  ...AGENT,
  ...IMAGE_BASED,
  ...DIRECTORY,
  ...COMMAND_LINE,
  ...CLOUD,
  ...IGNITION,
  ...CLUSTER_API,
  ...ETCD,
  ...TABLES,
  ...COMPATIBILITY,
  ...TRANSFER,
  ...STORAGE,
};

/** An area of codes, as a section of the reference. */
export interface Area {
  readonly title: string;
  /** What the codes of the area begin with. */
  readonly prefixes: readonly string[];
}

export const AREAS: readonly Area[] = [
  { title: "Text and YAML", prefixes: ["YAML", "TEXT"] },
  { title: "install-config", prefixes: ["IC"] },
  { title: "Agent-based installation", prefixes: ["AGT"] },
  { title: "Image-based installation", prefixes: ["IBI"] },
  { title: "Asset directory", prefixes: ["DIR", "INIT", "KEY", "SOPS"] },
  {
    title: "Command line, fleets, functions, templates and reports",
    prefixes: ["CLI", "BASE", "FLAG", "FLEET", "FUN", "TPL", "REP"],
  },
  { title: "Facts, credentials and identity", prefixes: ["FACT", "CRED", "ID", "MAN"] },
  { title: "Ignition configs, bootstrap and manifests", prefixes: ["IGN", "BOOT", "KUB"] },
  { title: "Cluster API and reconstruct", prefixes: ["CAPI", "REC"] },
  { title: "etcd copies", prefixes: ["ETC"] },
  { title: "Tables and generated code", prefixes: ["TAB", "GEN"] },
  {
    title: "Versions, feature gates and APIs",
    prefixes: ["VER", "GATE", "API", "SKEW", "PLAN", "USE", "CMP"],
  },
  { title: "Claim transfers", prefixes: ["TRF"] },
  { title: "Storage versions", prefixes: ["STO"] },
];
