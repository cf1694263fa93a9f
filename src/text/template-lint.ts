/**
 * The rule for templates: a value enters a document only through the serialising helper `value`, so that nothing
 * in a value can break out of its place. Used by the build and for templates that a user brings.
 */

/** The parts of a Handlebars syntax tree that the rule looks at. */
interface TemplateNode {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number; readonly column: number } };
  readonly path?: { readonly type?: string; readonly original?: unknown };
  readonly name?: { readonly type?: string; readonly original?: unknown };
  readonly body?: readonly TemplateNode[];
  readonly program?: TemplateNode | undefined;
  readonly inverse?: TemplateNode | undefined;
  readonly params?: readonly unknown[];
}

export interface TemplateProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const BLOCKS = new Set(["each", "has", "if", "unless"]);

export function lintTemplate(template: TemplateNode): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  const visit = (node: TemplateNode): void => {
    const refuse = (message: string): void => {
      const { line, column } = node.loc?.start ?? { line: 0, column: -1 };
      problems.push({ line, column: column + 1, message });
    };
    const name = String(node.path?.original ?? "");
    switch (node.type) {
      case "Program":
        node.body?.forEach(visit);
        break;
      case "ContentStatement":
      case "CommentStatement":
        break;
      case "MustacheStatement":
        if (name !== "value" || node.params?.length !== 1)
          refuse(
            `{{${name}}} would insert unserialized text; use {{value ${name === "value" ? "NAME" : name}}}`,
          );
        break;
      case "BlockStatement":
        if (!BLOCKS.has(name)) refuse(`the block {{#${name}}} is not one of ${[...BLOCKS].join(", ")}`);
        if (node.program !== undefined) visit(node.program);
        if (node.inverse !== undefined && node.inverse !== null) visit(node.inverse);
        break;
      case "PartialStatement":
        if (node.name?.type !== "PathExpression" && node.name?.type !== "StringLiteral")
          refuse("use a literal partial name: {{> FOLDER/_NAME}}");
        break;
      default:
        refuse(`${node.type} is not allowed in a template`);
    }
  };
  visit(template);
  return problems;
}
