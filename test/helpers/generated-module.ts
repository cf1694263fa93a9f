/** What the compiler says of a generated module. */
import { Node, Project } from "ts-morph";

/** What is wrong: it does not parse, it imports something, or it declares other names than wanted. */
export function moduleFaults(text: string, names: readonly string[]): string[] {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const file = project.createSourceFile("module.ts", text);
  const syntax = project.getProgram().getSyntacticDiagnostics(file);
  const declared = file.getStatements().flatMap((statement) => {
    if (Node.isVariableStatement(statement)) return statement.getDeclarations().map((each) => each.getName());
    return Node.hasName(statement) || Node.isFunctionDeclaration(statement)
      ? [statement.getName() ?? ""]
      : ["?"];
  });
  return [
    ...syntax.map((each) => `line ${each.getLineNumber()}: ${JSON.stringify(each.getMessageText())}`),
    ...file.getImportDeclarations().map((each) => each.getText()),
    ...(declared.sort().join() === [...names].sort().join() ? [] : [`declares ${declared.join(", ")}`]),
  ];
}
