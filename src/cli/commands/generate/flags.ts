/** The flag that every `generate` command has. */
import { choice, list, text, toggle } from "../../flags.js";

export const check = toggle("check", "write nothing; exit 3 with a diff if the output differs");

export const out = text("out", "folder to write to", { value: "DIR" });

export const transferGroup = text(
  "transfer-group",
  "API group of the storage transfer definitions (default transfer.slipway.dev)",
  { value: "GROUP" },
);
export const input = text("table", "the table to generate from: a file, kubernetes or kubernetes@1.36", {
  value: "FILE",
  stream: "input",
  formerly: ["input"],
});
export const outFile = text("out", "module to write; - for standard output", {
  value: "FILE",
  stream: "own",
});

export const into = text("into", "hand-written file to update; only --declaration changes", {
  value: "FILE",
});

export const declaration = list("declaration", "name of the declaration in --into; repeatable", {
  value: "NAME",
});

export const lang = choice(
  "lang",
  "language of the code, or md for a page of gates; default: by the name of the file, .go, .md or .ts, otherwise ts",
  ["ts", "go", "md"] as const,
  {
    value: "LANG",
  },
);

export const goPackage = text("package", "name of the Go package; default: features, storage or apis", {
  value: "NAME",
});

export const storagePolicy = text(
  "policy",
  "StoragePolicy, or a preset: shipped (the servers' behavior), kep (the design in the KEP); default: shipped",
  {
    value: "FILE",
    stream: "input",
  },
);
