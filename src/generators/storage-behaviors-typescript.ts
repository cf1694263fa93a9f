/**
 * A table of storage behaviours as a typed TypeScript module that imports nothing: a lookup of a resource, version or
 * release that the table does not have does not compile.
 */
import { StructureKind } from "ts-morph";
import { BEHAVIORS, type BehaviorTable } from "../storage/model.js";
import { quoted } from "./code-lines.js";
import { constant, generatedHead, printModule, type Statement, written } from "./module.js";
import {
  originLines,
  releaseNames,
  storageBehaviorsDeclarations,
  type TableOrigin,
} from "./storage-behaviors.js";

/** The text of the module. */
export const storageBehaviorsModule = (table: BehaviorTable, origin: TableOrigin): string =>
  printModule(generatedHead("storage-behaviors", originLines(origin)), [
    {
      kind: StructureKind.TypeAlias,
      docs: [
        "\nWhat a release does with a stored version: it writes it; it reads it; it reads it and rewrites it when a\nserver starts; it treats it as if it did not exist.",
      ],
      isExported: true,
      name: "StorageBehavior",
      type: BEHAVIORS.map(quoted).join(" | "),
    },
    written(
      "The releases of the table, oldest first.",
      `const storageReleases = [\n${releaseNames(table)
        .map((name) => `  ${quoted(name)},\n`)
        .join("")}] as const;`,
    ),
    {
      kind: StructureKind.TypeAlias,
      isExported: true,
      name: "StorageRelease",
      type: "(typeof storageReleases)[number]",
    },
    {
      kind: StructureKind.TypeAlias,
      docs: ["The behaviors of one version by release."],
      isExported: true,
      name: "StorageBehaviors",
      type: "{ readonly [release in StorageRelease]?: StorageBehavior }",
    },
    constant(
      "The behavior of every version by resource and release; a version is unknown to releases that are not listed.",
      "storageBehaviors",
      storageBehaviorsDeclarations(table).object,
      "Readonly<Record<string, Readonly<Record<string, StorageBehaviors>>>>",
    ),
    ...ANSWERS,
  ]);

const ANSWERS: readonly Statement[] = [
  {
    kind: StructureKind.TypeAlias,
    docs: ["A resource such as `deployments.apps`; without a dot in the core group."],
    isExported: true,
    name: "StorageResource",
    type: "keyof typeof storageBehaviors",
  },
  {
    kind: StructureKind.TypeAlias,
    docs: ["The versions of a resource."],
    isExported: true,
    name: "StorageVersion",
    typeParameters: [{ name: "R", constraint: "StorageResource" }],
    type: "R extends StorageResource ? keyof (typeof storageBehaviors)[R] & string : never",
  },
  {
    kind: StructureKind.Function,
    docs: ["The behavior of a version; undefined in a release that does not know it."],
    isExported: true,
    name: "storageBehavior",
    typeParameters: [{ name: "R", constraint: "StorageResource" }],
    parameters: [
      { name: "resource", type: "R" },
      { name: "version", type: "StorageVersion<R>" },
      { name: "release", type: "StorageRelease" },
    ],
    returnType: "StorageBehavior | undefined",
    statements: `const versions: Readonly<Record<string, StorageBehaviors>> = storageBehaviors[resource];
return versions[version]?.[release];`,
  },
  {
    kind: StructureKind.Function,
    docs: [
      "The version that a release writes; undefined where the resource does not exist or is stored with another one.",
    ],
    isExported: true,
    name: "storageVersion",
    typeParameters: [{ name: "R", constraint: "StorageResource" }],
    parameters: [
      { name: "resource", type: "R" },
      { name: "release", type: "StorageRelease" },
    ],
    returnType: "StorageVersion<R> | undefined",
    statements: `const versions: Readonly<Record<string, StorageBehaviors>> = storageBehaviors[resource];
const names = Object.keys(versions) as StorageVersion<R>[];
return names.find((name) => versions[name]?.[release] === "preferred");`,
  },
];
