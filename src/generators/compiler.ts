/**
 * The TypeScript compiler, through ts-morph: finds declarations in hand-written files. It
 * costs more than half a second to load, so it is imported only when a file really has to be written.
 */
import type { Node, SourceFile } from "ts-morph";

export interface SyntaxFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A part of a source text, by offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface FoundDeclaration {
  readonly name: string;
  readonly kind: "variable" | "type" | "other";
  readonly line: number;
  readonly column: number;
  /** Where the declaration begins. */
  readonly offset: number;
  /** What a generator may replace: the object of a variable, the type of an alias; undefined where there is none. */
  readonly span: Span | undefined;
}

export interface ParsedSource {
  readonly faults: readonly SyntaxFault[];
  /** Declarations at any depth, in the order of the text. */
  readonly declarations: readonly FoundDeclaration[];
}

async function compiler() {
  const { Project, SyntaxKind, Node: NodeTests } = await import("ts-morph");
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    compilerOptions: { allowJs: false, noLib: true },
  });
  return { project, SyntaxKind, NodeTests };
}

/** Of more faults nobody reads; a file that is not TypeScript at all has one for each character. */
const MOST_FAULTS = 20;

function syntaxFaults(file: SourceFile): readonly SyntaxFault[] {
  const found = file.getProject().getProgram().getSyntacticDiagnostics(file);
  const faults = found.slice(0, MOST_FAULTS).map((diagnostic): SyntaxFault => {
    const message = diagnostic.getMessageText();
    const { line, column } = file.getLineAndColumnAtPos(diagnostic.getStart());
    return { line, column, message: typeof message === "string" ? message : message.getMessageText() };
  });
  const last = faults.at(-1);
  const more = found.length - faults.length;
  return last === undefined || more === 0
    ? faults
    : [...faults.slice(0, -1), { ...last, message: `${last.message} (and ${more} more errors)` }];
}

/** Reads a hand-written file. */
export async function parseSource(text: string, path: string): Promise<ParsedSource> {
  try {
    return await parsed(text, path);
  } catch (error) {
    // The compiler calls itself for each level of a text, and the stack has an end.
    if (!(error instanceof RangeError)) throw error;
    return { faults: [{ line: 1, column: 1, message: "nested too deeply" }], declarations: [] };
  }
}

async function parsed(text: string, path: string): Promise<ParsedSource> {
  const { project, NodeTests } = await compiler();
  const name = /\.(ts|tsx|mts|cts)$/.exec(path)?.[0] ?? ".ts";
  const file = project.createSourceFile(`source${name}`, text);
  const declarations: FoundDeclaration[] = [];
  file.forEachDescendant((node) => {
    const at = (): { line: number; column: number; offset: number } => ({
      ...file.getLineAndColumnAtPos(node.getStart()),
      offset: node.getStart(),
    });
    if (NodeTests.isVariableDeclaration(node)) {
      declarations.push({
        name: node.getName(),
        kind: "variable",
        ...at(),
        span: objectSpan(node.getInitializer()),
      });
    } else if (NodeTests.isTypeAliasDeclaration(node)) {
      const type = node.getTypeNode();
      declarations.push({
        name: node.getName(),
        kind: "type",
        ...at(),
        span: type && { start: type.getStart(), end: type.getEnd() },
      });
    } else if (
      NodeTests.isInterfaceDeclaration(node) ||
      NodeTests.isFunctionDeclaration(node) ||
      NodeTests.isClassDeclaration(node) ||
      NodeTests.isEnumDeclaration(node)
    )
      declarations.push({ name: node.getName() ?? "", kind: "other", ...at(), span: undefined });
  });
  return { faults: syntaxFaults(file), declarations };

  /** The object literal below `as`, `satisfies` and parentheses; the whole initializer when it is something else. */
  function objectSpan(initializer: Node | undefined): Span | undefined {
    let node = initializer;
    while (
      node !== undefined &&
      (NodeTests.isAsExpression(node) ||
        NodeTests.isSatisfiesExpression(node) ||
        NodeTests.isParenthesizedExpression(node))
    )
      node = node.getExpression();
    return node && { start: node.getStart(), end: node.getEnd() };
  }
}
