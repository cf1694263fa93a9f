/** API lifecycles as a typed TypeScript module that imports nothing: which resource a release serves, and what replaced it. */
import { StructureKind } from "ts-morph";
import type { ApiTable } from "../compatibility/api-table.js";
import { apiAvailabilityDeclarations } from "./api-availability.js";
import { constant, generatedHead, printModule, type Statement } from "./module.js";

/** The text of the module. */
export const apiAvailabilityModule = (table: ApiTable): string =>
  printModule(generatedHead("api-availability"), [
    RESOURCE,
    constant(
      "Every served resource by group, version and plural.",
      "apiAvailability",
      apiAvailabilityDeclarations(table).object,
      "Readonly<Record<string, ApiResource>>",
    ),
    ...ANSWERS,
  ]);

const optional = { isReadonly: true, hasQuestionToken: true } as const;

const RESOURCE: Statement = {
  kind: StructureKind.Interface,
  docs: ["A resource in one API version; releases are `major.minor`."],
  isExported: true,
  name: "ApiResource",
  properties: [
    { isReadonly: true, name: "group", type: "string" },
    { isReadonly: true, name: "version", type: "string" },
    { isReadonly: true, name: "resource", type: "string" },
    { isReadonly: true, name: "kind", type: "string" },
    { isReadonly: true, name: "stability", type: '"stable" | "beta" | "alpha"' },
    { ...optional, name: "introduced", type: "string" },
    { ...optional, name: "deprecated", type: "string" },
    { ...optional, docs: ["First release that no longer serves it."], name: "removed", type: "string" },
    { ...optional, name: "replacement", type: "string" },
    { ...optional, name: "enabledByDefault", type: "boolean" },
  ],
};

const ANSWERS: readonly Statement[] = [
  {
    kind: StructureKind.TypeAlias,
    docs: ["A resource in one API version, such as `apps/v1/deployments`."],
    isExported: true,
    name: "ApiResourceName",
    type: "keyof typeof apiAvailability",
  },
  {
    kind: StructureKind.Function,
    docs: ["True when a release can serve the resource."],
    isExported: true,
    name: "isServed",
    parameters: [
      { name: "name", type: "ApiResourceName" },
      { name: "release", type: "string" },
    ],
    returnType: "boolean",
    statements: `const { introduced, removed }: ApiResource = apiAvailability[name];
if (introduced !== undefined && !isAtLeast(release, introduced)) return false;
return removed === undefined || !isAtLeast(release, removed);`,
  },
  {
    kind: StructureKind.Function,
    docs: ["True from the release that deprecated the resource on."],
    isExported: true,
    name: "isDeprecated",
    parameters: [
      { name: "name", type: "ApiResourceName" },
      { name: "release", type: "string" },
    ],
    returnType: "boolean",
    statements: `const { deprecated }: ApiResource = apiAvailability[name];
return deprecated !== undefined && isAtLeast(release, deprecated);`,
  },
  {
    kind: StructureKind.Function,
    docs: ["Every resource that a release can serve."],
    isExported: true,
    name: "servedResources",
    parameters: [{ name: "release", type: "string" }],
    returnType: "ApiResourceName[]",
    statements: `const names = Object.keys(apiAvailability) as ApiResourceName[];
return names.filter((name) => isServed(name, release));`,
  },
  {
    kind: StructureKind.Function,
    name: "isAtLeast",
    parameters: [
      { name: "release", type: "string" },
      { name: "least", type: "string" },
    ],
    returnType: "boolean",
    statements: `const [major = 0, minor = 0] = release.split(".").map(Number);
const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
return major === leastMajor ? minor >= leastMinor : major > leastMajor;`,
  },
];
