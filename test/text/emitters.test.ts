/**
 * What is written as a script, a command, Markdown, HTML, YAML or code takes no text as it is: each passes the one
 * function that makes it harmless there. The types and constants of the program say what is an input's: a part of a
 * template that is no number, no fixed word, no constant of slipway's and has not passed fails here.
 */
import { readFileSync } from "node:fs";
import { Project, ts } from "ts-morph";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rawParts, shapeOf, templatesIn } from "../helpers/raw-texts.js";

const test = suite("emitters");

const project = new Project({ tsConfigFilePath: "tsconfig.json", skipAddingFilesFromTsConfig: true });
project.addSourceFilesAtPaths("src/**/*.ts");
const program = project.getProgram().compilerObject;
const checker = program.getTypeChecker();
const root = `${process.cwd()}/`;
const files = program
  .getSourceFiles()
  .map((file) => ({ file, path: file.fileName.replace(root, "") }))
  .filter(({ path }) => path.startsWith("src/") && !path.startsWith("src/generated/"));

const passing = (names: string) => ({ checker, passing: new Set(names.split(" ")) });
const SHELL = passing("shellWord singleQuoted pathWord wordIn commandLine shell");
const MARKDOWN = passing(
  "codeSpan codeBlock markdownText markdownTable oneLine shellWord pathWord commandLine shell",
);
const CODE = passing("quoted propertyName printLines harmless");

const PROGRAMS =
  "kubectl|oc|etcdctl|etcdutl|openshift-install|aws (?:s3|ec2|iam|elbv2|route53)|az|gcloud|ibmcloud|govc|openstack|sops (?:encrypt|decrypt|updatekeys|-)|age-keygen|clusterctl|umask|mkdir|cp|mv|rm|cat|printf|echo|sed|grep|jq|curl|git|sh|bash|sleep|export|chmod|slipway (?:create|init|check|validate|reconstruct|graph|explain|report|generate|compat|storage|etcd|transfer|keys|function)";
/** A template that begins a command somewhere. */
const COMMAND = new RegExp(`(?:^|\\n|[|&;] ?|\\$\\(|run |with |: |\`)(?:sudo )?(?:${PROGRAMS}) +[^ ]`);
/** Members of YAML with a text behind them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL stands for a part
const YAML = /(?:^|\n) *(?:apiVersion|kind|metadata|name|namespace|data|stringData|spec): [^\n]*\u0000/;
const MARKDOWN_FILES = /\/runbook(?:-[a-z]+)?\.ts$|-markdown\.ts$/;
const CODE_FILES = /^src\/generators\/(?!.*-markdown\.ts$)/;

/** Texts for people: what shows them makes them harmless (text/terminal.ts). */
const FOR_PEOPLE = /^(?:message|hint|what|title|note|reason|why|summary|description)$/;

/** The constructors of core/problem.ts, and the members of its lists, whose arguments are messages and hints. */
const CONSTRUCTORS =
  /^(?:problem|required|invalid|unsupported|forbidden|duplicate|tooLong|tooMany|conflict|missingFact|outdated|deprecated|ignored|warning|info|report)$/;

function isForPeople(node: ts.Node): boolean {
  for (let at = node.parent; at !== undefined && !ts.isFunctionLike(at); at = at.parent)
    if (
      (ts.isPropertyAssignment(at) && FOR_PEOPLE.test(at.name.getText())) ||
      (ts.isCallExpression(at) && CONSTRUCTORS.test(at.expression.getText().split(".").at(-1) ?? ""))
    )
      return true;
  return false;
}

/**
 * Parts that are fine for a reason that no type tells, by file and text: pieces that were made of such templates before,
 * words of slipway's own tables, names that a schema or a check has held to letters that mean nothing there. Whoever adds
 * one says in the commit which of these it is.
 */
const REVIEWED: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync("test/text/reviewed-parts.json", "utf8"),
);

test("every reviewed part is there", () => {
  for (const [path, parts] of Object.entries(REVIEWED)) {
    const text = readFileSync(path, "utf8").replaceAll(/\s+/g, " ");
    assert.equal(
      parts.filter((part) => !text.includes(part)),
      [],
      path,
    );
  }
});

function rawIn(
  judge: typeof SHELL,
  isOf: (path: string, template: ts.TemplateExpression) => boolean,
): string[] {
  return files.flatMap(({ file, path }) =>
    templatesIn(file)
      .filter((template) => isOf(path, template))
      .flatMap((template) => rawParts(template, judge))
      .map((part) => part.getText(file).replaceAll(/\s+/g, " "))
      .filter((text) => !REVIEWED[path]?.includes(text))
      .map((text) => `${path}: \${${text}}`),
  );
}

test("no raw text in a command or script", () => {
  assert.equal(
    rawIn(SHELL, (_, template) => COMMAND.test(shapeOf(template))),
    [],
  );
});

test("no raw text in Markdown", () => {
  assert.equal(
    rawIn(MARKDOWN, (path, template) => MARKDOWN_FILES.test(path) && !COMMAND.test(shapeOf(template))),
    [],
  );
});

test("no raw text in generated code", () => {
  assert.equal(
    rawIn(CODE, (path, template) => CODE_FILES.test(path) && !isForPeople(template)),
    [],
  );
});

test("no YAML is put together from texts", () => {
  assert.equal(
    rawIn(
      SHELL,
      (path, template) => YAML.test(shapeOf(template)) && !isForPeople(template) && !CODE_FILES.test(path),
    ),
    [],
  );
});

test("a new part that is raw is found, one that passed is not", () => {
  const source = `
    const shellWord = (text: string): string => text;
    const WORD = "fixed";
    export const f = (name: string, size: number, side: "left" | "right"): readonly string[] => {
      const passed = shellWord(name);
      const kept = name.trim();
      return [
        \`kubectl get \${passed} \${size} \${side} \${WORD} \${[name].map(shellWord).join(" ")}\`,
        \`kubectl get \${kept} \${name}\`,
      ];
    };`;
  const sample = new Project({ useInMemoryFileSystem: true }).createSourceFile("a.ts", source);
  const judge = { ...SHELL, checker: sample.getProject().getTypeChecker().compilerObject };
  assert.equal(
    templatesIn(sample.compilerNode).map((template) =>
      rawParts(template, judge).map((part) => part.getText()),
    ),
    [[], ["kept", "name"]],
  );
});

test("HTML is made by one function, and one place writes to the terminal", () => {
  const found = (form: RegExp): string[] =>
    files.filter(({ file }) => form.test(file.text)).map(({ path }) => path);
  assert.equal(found(/new Markup\(/), [
    "src/report/markup.ts",
    "src/report/page.ts",
    "src/report/sections/directory.ts",
  ]);
  assert.equal(found(/process\.std(?:out|err)\.write|console\.(?:log|error|warn)/), []);
});

test.run();
