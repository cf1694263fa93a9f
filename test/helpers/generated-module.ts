/** What the compiler says of a generated module. */
import { Node, Project } from "ts-morph";
import type { ModulePart } from "../../src/generators/module.js";

/** What is wrong: it does not parse, it imports something, or it declares other names than its parts say. */
export function moduleFaults(text: string, parts: readonly ModulePart[]): string[] {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const file = project.createSourceFile("module.ts", text);
  const syntax = project.getProgram().getSyntacticDiagnostics(file);
  const declared = file.getStatements().flatMap((statement) => {
    if (Node.isVariableStatement(statement)) return statement.getDeclarations().map((each) => each.getName());
    return Node.hasName(statement) || Node.isFunctionDeclaration(statement)
      ? [statement.getName() ?? ""]
      : ["?"];
  });
  const wanted = parts.flatMap(({ name }) => (name === "" ? [] : [name]));
  return [
    ...syntax.map((each) => `line ${each.getLineNumber()}: ${JSON.stringify(each.getMessageText())}`),
    ...file.getImportDeclarations().map((each) => each.getText()),
    ...(declared.sort().join() === wanted.sort().join() ? [] : [`declares ${declared.join(", ")}`]),
  ];
}
