// Where the files that the phases write come from, read from the code that renders them, so that `slipway explain
// --origin` cannot go stale: for each rendering its template, its path, the file that makes it, and for each member of
// its view what that is made from. Names are followed through local variables, helper functions and imports; what a
// platform is asked (`platform.manifests.noProxy`) is followed in its own module.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ts } from "ts-morph";
import { fieldsOf } from "./template-fields.mjs";

const { SyntaxKind: Kind } = ts;

/** What the phases exchange, by the names and types under which functions get it. */
const ROOTS = {
  config: "install-config",
  normalForm: "install-config.normalForm",
  "install-config": "install-config",
  "install-config-file": "install-config.file",
  identity: "identity",
  pki: "pki",
  "cluster-pki": "pki",
  kubeadmin: "kubeadmin",
  facts: "facts",
  credentials: "credentials",
  "manifest-files": "files",
  manifestFiles: "files",
  state: "state",
  options: "options",
  namespace: "options.namespace",
  controllerNamespace: "options.controllerNamespace",
  "infrastructure-options": "options",
  "ignition-options": "options",
  effectiveVersions: "options.effectiveVersions",
  release: "release",
  tool: "tool",
  domain: "domain",
  platform: "platform",
};
const TYPES = {
  NormalConfig: "install-config",
  InstallConfig: "install-config",
  Identity: "identity",
  CloudFacts: "facts",
  Credentials: "credentials",
  InfrastructureOptions: "options",
  PlatformInfrastructure: "platform.infrastructure",
};
/** Roots that are handed on as a whole; only members of them say something. */
const CARRIED = new Set(["install-config", "facts", "identity", "pki", "kubeadmin", "options", "platform"]);
/** What phases are given that is made of fields of the install-config. */
const MADE_OF = { domain: ["install-config.baseDomain", "install-config.metadata.name"] };
/** Wholes that hold the roots. */
const WHOLES = new Set(["input", "needs", "compiled"]);
/** Methods that give items of what they are called on. */
const SAME = new Set(["filter", "find", "sort", "toSorted", "slice", "at"]);
/** Methods that give what their callback does. */
const CHANGED = new Set(["map", "flatMap"]);
/** Methods whose callback gets items of what they are called on. */
const EACH = new Set(["map", "flatMap", "filter", "some", "every", "find", "forEach", "findIndex"]);
/** Members of the language, not of data. */
const LANGUAGE = new Set(["length", "trim", "toLowerCase", "startsWith", "endsWith", "includes", "replace"]);

/** `\u00a7` is the sign of a section; a row of it may follow. */
const CITATION =
  /docs\/reference\/[\w-]+\.md(?:(?:,| and)? \u00a7[0-9]+[a-h]?(?:\.[0-9]+)?(?:,? (?:row [0-9]+|[A-Z]{1,2}-?[0-9]+))*)*/g;
const UPSTREAM =
  /\b(?:openshift|kubernetes|kubernetes-sigs)\/[\w-]+ (?:`?[\w./-]+\.go\b|`?[\w-]+(?:\/[\w.-]+)+)/g;

export function readOrigins(root, files) {
  const sources = new Map(
    files
      .filter((file) => file.endsWith(".ts"))
      .map((file) => [
        file,
        ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true),
      ]),
  );
  const tops = new Map([...sources].map(([file, source]) => [file, topLevel(source)]));

  // ---- names ----

  /** Declarations at the top of a file, and the imports. */
  function topLevel(source) {
    const found = new Map();
    for (const statement of source.statements) {
      if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name)
        found.set(statement.name.text, statement);
      if (ts.isVariableStatement(statement))
        for (const each of statement.declarationList.declarations)
          if (ts.isIdentifier(each.name)) found.set(each.name.text, each);
      const table = ts.isImportDeclaration(statement) ? tableOf(statement, source) : undefined;
      const whole = statement.importClause?.name;
      if (table !== undefined && whole !== undefined) found.set(whole.text, { table });
      const clause = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
      const exported = ts.isExportDeclaration(statement) ? statement.exportClause : undefined;
      const from = statement.moduleSpecifier?.text;
      if (from?.startsWith("."))
        for (const each of (clause ?? exported)?.elements ?? [])
          found.set(
            each.name.text,
            table === undefined
              ? {
                  file: join(dirname(source.fileName), from.replace(/\.js$/, ".ts")),
                  name: (each.propertyName ?? each.name).text,
                }
              : { table },
          );
    }
    return found;
  }

  /** The table of data that an import reads, itself or as the build writes it into src/generated; else undefined. */
  function tableOf({ moduleSpecifier }, source) {
    const file = relative(root, join(dirname(source.fileName), moduleSpecifier.text)).replaceAll("\\", "/");
    const [, name] = /^src\/generated\/tables\/([\w-]+)\.js$/.exec(file) ?? [];
    return name === undefined ? /\.json$/.exec(file)?.input : `tables/${name}.json`;
  }

  /** The declaration that a name at the top of a file stands for, wherever it is. */
  function declared(file, name) {
    const found = tops.get(file)?.get(name);
    const isHere = found === undefined || found.kind !== undefined || found.table !== undefined;
    return isHere ? found : declared(found.file, found.name);
  }

  /** What an identifier is bound to: a parameter or variable (with the members that lead to it), or a declaration. */
  function bound(identifier) {
    const name = identifier.text;
    for (let node = identifier.parent; node !== undefined; node = node.parent) {
      for (const parameter of node.parameters ?? []) {
        const path = within(parameter.name, name);
        if (path !== undefined) return { parameter, path };
      }
      const statements = node.statements ?? (ts.isForOfStatement(node) ? [node.initializer] : []);
      if (ts.isSourceFile(node)) {
        const declaration = declared(node.fileName, name);
        return declaration === undefined ? undefined : { declaration };
      }
      for (const statement of statements) {
        const list = ts.isVariableStatement(statement) ? statement.declarationList : statement;
        for (const variable of list.declarations ?? []) {
          const path = within(variable.name, name);
          if (path === undefined) continue;
          const items = ts.isForOfStatement(node) ? node.expression : undefined;
          return { value: items ?? variable.initializer, path: items === undefined ? path : ["[]", ...path] };
        }
        if (ts.isFunctionDeclaration(statement) && statement.name?.text === name)
          return { declaration: statement };
      }
    }
    return undefined;
  }

  /** The members that lead to a name in a pattern; undefined where it is not in there. */
  function within(pattern, name) {
    if (ts.isIdentifier(pattern)) return pattern.text === name ? [] : undefined;
    for (const [index, element] of pattern.elements.entries()) {
      if (ts.isOmittedExpression(element)) continue;
      const rest = within(element.name, name);
      if (rest === undefined) continue;
      if (ts.isArrayBindingPattern(pattern)) return [`[${index}]`, ...rest];
      const member = element.dotDotDotToken ? undefined : (element.propertyName ?? element.name);
      return member === undefined ? rest : [textOf(member), ...rest];
    }
    return undefined;
  }

  const isFunction = (node) => ts.isArrowFunction(node) || ts.isMethodDeclaration(node);

  const textOf = (name) => (ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : "");

  /** Where a function is called by its name, for what its parameters get. */
  const calls = new Map();
  for (const source of sources.values()) {
    const look = (node) => {
      ts.forEachChild(node, look);
      if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return;
      const { declaration, value } = bound(node.expression) ?? {};
      const fn = functionOf(declaration ?? value);
      if (fn !== undefined) calls.set(fn, [...(calls.get(fn) ?? []), node]);
    };
    look(source);
  }

  /** The platform whose files are looked at; undefined for those of all. */
  let home;
  const platformOf = (file) => /src\/platforms\/(\w+)\//.exec(file)?.[1];
  /** What several platforms share is called by each of them: what others give says nothing here. */
  const isElsewhere = (node) => {
    const owner = home && platformOf(node.getSourceFile().fileName);
    return owner !== undefined && owner !== home;
  };

  /** What calls give for a parameter, or for a member of it. */
  const argumentsFor = ({ parameter, path: [first] }) =>
    (calls.get(parameter.parent) ?? []).flatMap((call) => {
      if (isElsewhere(call)) return [];
      const argument = call.arguments[parameter.parent.parameters.indexOf(parameter)];
      if (argument === undefined) return [];
      const literal = ts.isObjectLiteralExpression(argument) ? argument : undefined;
      const property = literal?.properties.find((each) => each.name && textOf(each.name) === first);
      if (property === undefined) return [argument];
      return [
        ts.isShorthandPropertyAssignment(property) ? property.name : (property.initializer ?? property),
      ];
    });

  // ---- paths ----

  /** What parameters of functions that were called on the way stand for. */
  let bindings = new Map();

  /** `["install-config", "networking", …]` for an expression that reads one of the roots; else undefined. */
  function pathOf(node, given = new Map(), depth = 0) {
    if (node === undefined || depth > 25) return undefined;
    const next = (each) => pathOf(each, given, depth + 1);
    if (ts.isIdentifier(node)) {
      const binding = bound(node);
      if (binding?.parameter !== undefined) return ofParameter(binding, given, depth);
      if (binding?.value === undefined) return undefined;
      const value = next(binding.value);
      return value === undefined ? undefined : rooted([...value, ...binding.path]);
    }
    if (ts.isPropertyAccessExpression(node)) {
      if (node.expression.kind === Kind.ThisKeyword) return ofThis(node, given, depth);
      const member = memberOf(node);
      if (member !== undefined) return next(member);
      const value = next(node.expression);
      return value === undefined ? undefined : rooted([...value, node.name.text]);
    }
    if (ts.isElementAccessExpression(node)) {
      const value = next(node.expression);
      const key = ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : "[]";
      return value === undefined ? undefined : rooted([...value, key]);
    }
    if (
      ts.isParenthesizedExpression(node) ||
      ts.isNonNullExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSpreadElement(node)
    )
      return next(node.expression);
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === Kind.QuestionQuestionToken)
      return next(node.left);
    if (ts.isObjectLiteralExpression(node)) {
      // A section with some of its own members filled in is that section.
      const [spread, ...others] = node.properties;
      const value = spread && ts.isSpreadAssignment(spread) ? next(spread.expression) : undefined;
      const own = (each) => next(each.initializer)?.join(".").startsWith(value.join("."));
      return value !== undefined && others.every(own) ? value : undefined;
    }
    if (!ts.isCallExpression(node)) return undefined;
    const callee = node.expression;
    if (ts.isPropertyAccessExpression(callee)) {
      const asked = real(next(callee));
      if (asked?.[0] === "platform") return asked;
      const [callback] = node.arguments;
      if (CHANGED.has(callee.name.text))
        return callback !== undefined && isFunction(callback) ? next(resultOf(callback)) : undefined;
      const value = SAME.has(callee.name.text) ? next(callee.expression) : undefined;
      return value === undefined ? undefined : [...value, ...(callee.name.text === "find" ? ["[]"] : [])];
    }
    const fn = ts.isIdentifier(callee) ? functionOf(bound(callee)?.declaration) : undefined;
    const result = fn === undefined ? undefined : resultOf(fn);
    if (result === undefined) return undefined;
    const inner = new Map(given);
    for (const [index, parameter] of fn.parameters.entries()) inner.set(parameter, node.arguments[index]);
    return pathOf(result, inner, depth + 1);
  }

  /** What a variable's object literal gives for the member that is read. */
  function memberOf({ expression, name }) {
    const value = ts.isIdentifier(expression) ? bound(expression)?.value : undefined;
    if (value === undefined || !ts.isObjectLiteralExpression(value)) return undefined;
    const found = value.properties.find((each) => each.name && textOf(each.name) === name.text);
    return found === undefined || ts.isShorthandPropertyAssignment(found) ? found?.name : found.initializer;
  }

  /** A member of a class: a parameter of its constructor, or what that puts there. */
  function ofThis(node, given, depth) {
    let owner = node.parent;
    while (owner !== undefined && !ts.isClassDeclaration(owner)) owner = owner.parent;
    const made = owner?.members.find(ts.isConstructorDeclaration);
    const { text: name } = node.name;
    const parameter = made?.parameters.find((each) => each.name.text === name);
    if (parameter !== undefined) return ofParameter({ parameter, path: [] }, given, depth);
    for (const statement of made?.body?.statements ?? []) {
      const { left, right } = statement.expression ?? {};
      if (left !== undefined && left.getText() === `this.${name}`) return pathOf(right, given, depth + 1);
    }
    return undefined;
  }

  function ofParameter({ parameter, path }, given, depth) {
    if (bindings.has(parameter)) return rooted([...bindings.get(parameter), ...path]);
    const argument = given.get(parameter);
    if (argument !== undefined) {
      const value = pathOf(argument, new Map([...given].filter(([each]) => each !== parameter)), depth + 1);
      if (value !== undefined) return rooted([...value, ...path]);
    }
    const typed = typeRoot(parameter);
    if (typed !== undefined) return rooted([...typed, ...path]);
    const call = parameter.parent.parent;
    if (ts.isCallExpression(call) && ts.isPropertyAccessExpression(call.expression)) {
      const value = EACH.has(call.expression.name.text)
        ? pathOf(call.expression.expression, given, depth + 1)
        : undefined;
      if (value !== undefined) return rooted([...value, "[]", ...path]);
      return undefined;
    }
    if (!ts.isIdentifier(parameter.name)) return named(path);
    return named([...(WHOLES.has(parameter.name.text) ? [] : [parameter.name.text]), ...path]);
  }

  /** The root that the type of a parameter tells, also that of a platform's own section. */
  function typeRoot(parameter) {
    const type = parameter.type === undefined ? "" : parameter.type.getText();
    if (Object.hasOwn(TYPES, type)) return TYPES[type].split(".");
    const platform = platformOf(parameter.getSourceFile().fileName);
    const [, own, what] = /^(\w+)(Platform|Config|Facts)$/.exec(type) ?? [];
    if (platform === undefined || own?.toLowerCase() !== platform) return undefined;
    return what === "Facts" ? ["facts", platform] : ["install-config", "platform", platform];
  }

  /** A path that is more than the whole. */
  const real = (path) => (path === undefined || path[0] === "*" ? undefined : path);

  const named = ([first, ...rest]) =>
    first === undefined ? ["*"] : Object.hasOwn(ROOTS, first) ? rooted([ROOTS[first], ...rest]) : undefined;

  /** Members of the whole become roots; the asset of the install-config holds the config. */
  function rooted([first, ...rest]) {
    if (first === "*") return named(rest);
    if (first === "install-config" && rest[0] === "config") return [first, ...rest.slice(1)];
    return [...first.split("."), ...rest];
  }

  /** A function, also one that is made by a helper around it (`onceFor(…)`). */
  function functionOf(node) {
    if (node === undefined) return undefined;
    if (ts.isFunctionDeclaration(node) || ts.isArrowFunction(node) || ts.isMethodDeclaration(node))
      return node;
    if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) return functionOf(node.initializer);
    if (ts.isIdentifier(node)) return functionOf(bound(node)?.declaration);
    if (ts.isCallExpression(node)) return node.arguments.map(functionOf).find((each) => each !== undefined);
    return undefined;
  }

  /** True where a function gives one thing or, where that is missing, another: a path tells the first alone. */
  function hasAlternative(fn) {
    const result = fn === undefined ? undefined : resultOf(fn);
    return (
      result !== undefined &&
      ts.isBinaryExpression(result) &&
      result.operatorToken.kind === Kind.QuestionQuestionToken
    );
  }

  /** The one expression that a function gives; of several `return`s the last. */
  function resultOf(fn) {
    if (fn.body === undefined || !ts.isBlock(fn.body)) return fn.body;
    return fn.body.statements.findLast(ts.isReturnStatement)?.expression;
  }

  // ---- what something is made from ----

  /**
   * Everything that a node reads: paths, tables, rows by release, questions to the platform, and sources that it cites.
   */
  function madeFrom(nodes) {
    const found = {
      reads: new Set(),
      tables: new Set(),
      rows: new Set(),
      asks: new Set(),
      cites: new Set(),
    };
    bindings = new Map();
    const seen = new Set();
    // Functions that nobody was seen to call on the way: what their parameters get is what all calls give.
    const around = new Set();
    const surround = (node) => {
      for (let each = node; each !== undefined; each = each.parent) if (each.parameters) around.add(each);
    };
    const visit = (node) => {
      if (node === undefined || ts.isTypeNode(node) || seen.has(node)) return;
      // Local variables are followed where they are used.
      if (ts.isVariableDeclaration(node) && !ts.isSourceFile(node.parent.parent.parent)) return;
      seen.add(node);
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
        noteRow(node);
        return visitCall(node);
      }
      if (ts.isShorthandPropertyAssignment(node)) return void visit(node.name);
      const chain =
        ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isIdentifier(node);
      const path = chain && !isName(node) ? real(pathOf(node)) : undefined;
      if (path !== undefined) {
        const value = ts.isIdentifier(node) ? bound(node)?.value : undefined;
        if (value !== undefined && ts.isBinaryExpression(value)) visit(value.right);
        visitCallbacks(value);
        return note(path, node);
      }
      const member = ts.isPropertyAccessExpression(node) ? memberOf(node) : undefined;
      if (member !== undefined) return void visit(member);
      if (ts.isIdentifier(node) && WHOLES.has(node.text)) return;
      if (ts.isIdentifier(node) && !isName(node)) return follow(bound(node));
      ts.forEachChild(node, visit);
    };
    /** What a function reads of an argument its own code says, where the argument is a path and its first one. */
    const visitCall = (node) => {
      // A table by release is asked for rows, which are named by themselves.
      if (node.expression.getText() === "factsAt") return;
      const path = real(pathOf(node));
      if (path !== undefined) note(path, node);
      const declaration = ts.isIdentifier(node.expression) ? bound(node.expression)?.declaration : undefined;
      const fn =
        functionOf(declaration) ??
        (declaration && ts.isClassDeclaration(declaration)
          ? declaration.members.find(ts.isConstructorDeclaration)
          : undefined);
      const entered = fn !== undefined && seen.has(declaration);
      const others = [];
      for (const [index, argument] of (node.arguments ?? []).entries()) {
        const parameter = fn?.parameters[index];
        const named =
          parameter !== undefined &&
          !bindings.has(parameter) &&
          real(ofParameter({ parameter, path: [] }, new Map(), 0)) !== undefined;
        if (named) continue;
        const value = parameter === undefined || entered ? undefined : real(pathOf(argument));
        if (value !== undefined) bindings.set(parameter, value);
        // A function takes the roots out of an object by their names.
        else if (parameter !== undefined && ts.isObjectLiteralExpression(argument))
          others.push(
            ...argument.properties.filter((each) => !Object.hasOwn(ROOTS, textOf(each.name ?? each))),
          );
        else if (path === undefined || isFunction(argument)) others.push(argument);
      }
      if (path === undefined || hasAlternative(fn)) visit(node.expression);
      else visitCallbacks(node.expression);
      for (const each of others) visit(each);
    };
    /** What chooses among the items of a list (`list.filter(…).map(…)`), whose path does not say it. */
    const visitCallbacks = (node) => {
      if (node === undefined) return;
      if (ts.isBinaryExpression(node)) return visitCallbacks(node.left);
      if (ts.isCallExpression(node)) node.arguments.filter(isFunction).forEach(visit);
      if (
        ts.isCallExpression(node) ||
        ts.isPropertyAccessExpression(node) ||
        ts.isParenthesizedExpression(node)
      )
        visitCallbacks(node.expression);
    };
    const follow = (binding) => {
      if (binding?.parameter !== undefined && around.has(binding.parameter.parent))
        for (const each of argumentsFor(binding)) {
          surround(each);
          visit(each);
        }
      const callback = binding?.parameter?.parent.parent;
      if (callback && ts.isCallExpression(callback) && ts.isPropertyAccessExpression(callback.expression))
        visit(callback.expression.expression);
      // A function of ours gives its callback what it makes of its other arguments.
      else if (callback && ts.isCallExpression(callback))
        callback.arguments.filter((each) => !isFunction(each)).forEach(visit);
      if (binding?.value !== undefined) visit(binding.value);
      if (binding?.declaration !== undefined) enter(binding.declaration);
    };
    const enter = (declaration) => {
      if (seen.has(declaration)) return;
      if (declaration.table !== undefined) return void found.tables.add(declaration.table);
      for (const cite of citesOf(declaration)) found.cites.add(cite);
      visit(declaration);
    };
    const note = (path, node) => {
      const parent = node.parent;
      const called = ts.isCallExpression(parent) && parent.expression === node;
      const members = path.filter((each) => each !== "[]" && !LANGUAGE.has(each));
      for (const each of MADE_OF[members[0]] ?? []) found.reads.add(each);
      if (Object.hasOwn(MADE_OF, members[0])) return;
      if (members.length === 1 && CARRIED.has(members[0])) return;
      if (members[0] === "platform") {
        if (members[1] === "name") found.reads.add("install-config.platform");
        else found.asks.add(members.slice(1, 3).join("."));
        return;
      }
      if (called && path.at(-1) === members.at(-1) && ts.isPropertyAccessExpression(node)) members.pop();
      if (members.length > 0) found.reads.add(members.join("."));
    };
    const noteRow = ({ expression, arguments: given }) => {
      const [, name] = given ?? [];
      if (!ts.isIdentifier(expression) || name === undefined || !ts.isStringLiteralLike(name)) return;
      const declaration = bound(expression)?.declaration;
      const table = declaration?.initializer?.getText() ?? "";
      const file = table.startsWith("factsAt(") ? tableFile(declaration) : undefined;
      if (file !== undefined) found.rows.add(`${file}#${name.text}`);
    };
    for (const node of nodes) surround(node);
    for (const node of nodes) (citesOf(node).length > 0 ? enter : visit)(node);
    return found;
  }

  /** True for an identifier that only names a member or a declaration. */
  function isName(node) {
    const { parent } = node;
    return (
      (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
      (ts.isPropertyAssignment(parent) && parent.name === node) ||
      (ts.isMethodDeclaration(parent) && parent.name === node) ||
      (ts.isBindingElement(parent) && parent.initializer !== node) ||
      (ts.isVariableDeclaration(parent) && parent.name === node) ||
      (ts.isFunctionDeclaration(parent) && parent.name === node) ||
      (ts.isParameter(parent) && parent.initializer !== node)
    );
  }

  /** The JSON file that a table of facts by release is read from; undefined where it is no file. */
  function tableFile(declaration) {
    const source = declaration.getSourceFile();
    const [argument] = declaration.initializer.arguments;
    const name = ts.isPropertyAccessExpression(argument) ? argument.expression.getText() : argument.getText();
    const found = source.statements.find(
      (each) => ts.isImportDeclaration(each) && each.importClause?.name?.text === name,
    );
    return found && relative(root, join(dirname(source.fileName), found.moduleSpecifier.text));
  }

  /** The comment above a declaration. */
  function commentOf(node) {
    const owner = ts.isVariableDeclaration(node) ? node.parent.parent : node;
    const { text } = node.getSourceFile();
    const comments = ts.getLeadingCommentRanges(text, owner.getFullStart()) ?? [];
    return comments.map(({ pos, end }) => text.slice(pos, end)).join("\n");
  }

  /** What the comment above a declaration cites. */
  const citesOf = (node) => cites(commentOf(node));

  const cites = (comment) => {
    const text = comment.replace(/\n\s*(?:\/\/|\*)?\s*/g, " ");
    return [...text.matchAll(CITATION), ...text.matchAll(UPSTREAM)].map(([each]) => each);
  };

  /** The comment at the head of a file. */
  function headOf(file) {
    const { text } = sources.get(file);
    const [first] = ts.getLeadingCommentRanges(text, 0) ?? [];
    const comment = first === undefined ? "" : text.slice(first.pos, first.end);
    return { cites: cites(comment), comment };
  }

  // ---- views ----

  /** The object literal that an expression gives, through variables and functions; else undefined. */
  function literalOf(node, depth = 0) {
    if (node === undefined || depth > 12) return undefined;
    if (ts.isObjectLiteralExpression(node)) return node;
    if (ts.isParenthesizedExpression(node)) return literalOf(node.expression, depth + 1);
    if (ts.isConditionalExpression(node))
      return literalOf(node.whenTrue, depth + 1) ?? literalOf(node.whenFalse, depth + 1);
    if (ts.isIdentifier(node)) {
      const binding = bound(node);
      return literalOf(
        binding?.path?.length ? undefined : (binding?.value ?? binding?.declaration),
        depth + 1,
      );
    }
    if (ts.isVariableDeclaration(node)) return literalOf(node.initializer, depth + 1);
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const fn = functionOf(bound(node.expression)?.declaration);
      return fn === undefined ? undefined : literalOf(resultOf(fn), depth + 1);
    }
    return undefined;
  }

  /** A view as a tree: what each member is made from, and what the others are. */
  function tree(node, depth = 0) {
    const literal = literalOf(node);
    if (literal === undefined || depth > 4) return { from: plain(madeFrom([node])) };
    const members = {};
    const others = [];
    for (const property of literal.properties) {
      if (ts.isSpreadAssignment(property)) {
        others.push(property.expression);
        const spread = literalOf(property.expression);
        if (spread !== undefined) Object.assign(members, tree(spread, depth + 1).members);
      } else {
        const name = property.name && textOf(property.name);
        const value = ts.isShorthandPropertyAssignment(property) ? property.name : property.initializer;
        if (name && value) members[name] = tree(value, depth + 1);
        else others.push(property);
      }
    }
    return { members, from: plain(madeFrom([node, ...others])) };
  }

  const plain = ({ reads, tables, rows, asks, cites: cited }) => ({
    reads: shortest([...reads]),
    ...(tables.size === 0 ? {} : { tables: [...tables].sort() }),
    rows: [...rows].sort(),
    asks: [...asks].sort(),
    cites: [...cited].sort(),
  });

  /** Without what a shorter path says already. */
  const shortest = (paths) =>
    paths.filter((each) => !paths.some((other) => each.startsWith(`${other}.`))).sort();

  // ---- renderings ----

  /** The text of an expression with `*` for what varies. */
  function pattern(node, given = new Map(), depth = 0) {
    if (node === undefined || depth > 12) return "*";
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isTemplateExpression(node))
      return (
        node.head.text +
        node.templateSpans
          .map(({ expression, literal }) => pattern(expression, given, depth + 1) + literal.text)
          .join("")
      );
    if (ts.isIdentifier(node)) {
      const binding = bound(node);
      const value =
        given.get(binding?.parameter) ??
        (binding?.path?.length ? undefined : binding?.value) ??
        binding?.declaration?.initializer;
      return value === undefined ? "*" : pattern(value, given, depth + 1);
    }
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const fn = functionOf(bound(node.expression)?.declaration);
      if (fn === undefined) return "*";
      return pattern(
        resultOf(fn),
        new Map(fn.parameters.map((each, index) => [each, node.arguments[index]])),
        depth + 1,
      );
    }
    return "*";
  }

  const folderOf = (template) => template.slice(0, template.indexOf("/"));

  /** The rendering that a template's name stands in: an object with `template`, or a call of a helper that makes one. */
  function renderingOf(literal) {
    let node = literal;
    // Either branch of a condition is a rendering of its own.
    while (
      ts.isAsExpression(node.parent) ||
      ts.isParenthesizedExpression(node.parent) ||
      (ts.isConditionalExpression(node.parent) && node.parent.condition !== node)
    )
      node = node.parent;
    const { parent } = node;
    if (ts.isPropertyAssignment(parent) && textOf(parent.name) === "template")
      return { object: parent.parent, made: [parent.parent], given: new Map() };
    if (!ts.isCallExpression(parent) || !ts.isStringLiteralLike(literal)) return undefined;
    const fn = ts.isIdentifier(parent.expression)
      ? functionOf(bound(parent.expression)?.declaration)
      : undefined;
    let object;
    const look = (node) => {
      if (
        ts.isObjectLiteralExpression(node) &&
        node.properties.some((each) => each.name && textOf(each.name) === "template")
      )
        object = node;
      else ts.forEachChild(node, look);
    };
    if (fn !== undefined) look(fn);
    const given = new Map(fn?.parameters.map((each, index) => [each, parent.arguments[index]]));
    return { object, made: [parent], given };
  }

  const member = (object, name) =>
    object?.properties.find((each) => each.name && textOf(each.name) === name)?.initializer;

  /** The function around a node that is declared at the top of a file. */
  function ownerOf(node) {
    let owner = node;
    while (owner.parent !== undefined && !ts.isSourceFile(owner.parent)) {
      owner = owner.parent;
      if (ts.isVariableDeclaration(owner) && ts.isSourceFile(owner.parent.parent.parent)) return owner;
    }
    return owner;
  }

  function renderings(templates) {
    const found = [];
    for (const [file, source] of sources) {
      home = platformOf(file);
      const look = (node) => {
        ts.forEachChild(node, look);
        const text = ts.isTemplateExpression(node)
          ? pattern(node)
          : ts.isStringLiteralLike(node)
            ? node.text
            : "";
        found.push(...nodeFilesOf(node), ...(isText(node) ? textFilesOf(file, node) : []));
        if (!text.includes("/") || ts.isImportDeclaration(node.parent) || ts.isTypeNode(node.parent)) return;
        for (const template of templates.filter((each) => matches(text, each))) {
          const rendering = renderingOf(node);
          if (rendering === undefined) continue;
          const { object, made, given } = rendering;
          const path = member(object, "path");
          const placed = path === undefined ? stem(template) : pattern(path, given);
          const owner = ownerOf(node);
          const view = member(object, "view");
          const callbacks = [...given.values()].filter((each) => each && isFunction(each)).map(resultOf);
          const views = [view, ...callbacks].filter((each) => each !== undefined).map((each) => tree(each));
          found.push({
            template,
            path: placed.includes("/") ? placed : `${folderOf(template)}/${placed}`,
            phase: phaseOf(folderOf(template)),
            ...aboutOf(owner, file),
            from: plain(madeFrom([...made, ...conditionsOf(node, owner)])),
            view: Object.assign({}, ...views.map(({ members }) => members)),
          });
        }
      };
      look(source);
    }
    // Where a file of the code makes one file only, its head says what that is.
    for (const each of found) {
      const alone = found.every(({ path, source }) => source !== each.source || path === each.path);
      const [own, head] = each.about;
      each.about = (alone ? head || own : own || head) ?? "";
    }
    return found;
  }

  const isText = (node) => ts.isCallExpression(node) && node.expression.getText() === "textFile";

  /** Files that are written without a template. */
  function textFilesOf(file, call) {
    const [path, text] = call.arguments;
    // What is written under any name is a rendering's.
    const places = placesOf(path).filter((each) => !/(?:^|\/)\*+$/.test(each));
    const owner = ownerOf(call);
    return places.map((placed) => ({
      path: placed,
      phase: phaseOf(/src\/phases\/([\w-]+)/.exec(file)?.[1] ?? ""),
      ...aboutOf(owner, file),
      from: plain(madeFrom([text, ...conditionsOf(call, owner)])),
      view: {},
    }));
  }

  /** The names of a file: those of a table where it is looked up in one. */
  function placesOf(path) {
    const table =
      ts.isElementAccessExpression(path) && ts.isIdentifier(path.expression)
        ? bound(path.expression)?.declaration?.initializer
        : undefined;
    return table !== undefined && ts.isObjectLiteralExpression(table)
      ? table.properties.map((each) => pattern(each.initializer))
      : [pattern(path)];
  }

  /** Files of the bootstrap node: an object with an absolute path and its data, or each call of what makes such. */
  function nodeFilesOf(node) {
    if (!ts.isObjectLiteralExpression(node)) return [];
    const value = (name) => {
      const found = node.properties.find((each) => each.name && textOf(each.name) === name);
      return found && ts.isShorthandPropertyAssignment(found) ? found.name : found?.initializer;
    };
    const data = value("data");
    const path = value("path");
    if (data === undefined || path === undefined) return [];
    const parameter = ts.isIdentifier(path) ? bound(path)?.parameter : undefined;
    const places = (calls.get(parameter?.parent) ?? []).map((call) => {
      const argument = call.arguments[parameter.parent.parameters.indexOf(parameter)];
      return { at: call, path: pattern(argument), made: call.arguments };
    });
    return [{ at: node, path: pattern(path), made: [data] }, ...places]
      .filter((each) => /^\/[^*]+\//.test(each.path))
      .map((each) => {
        const owner = ownerOf(each.at);
        return {
          path: each.path,
          phase: "ignition-configs",
          ...aboutOf(owner, each.at.getSourceFile().fileName),
          from: plain(madeFrom([...each.made, ...conditionsOf(each.at, owner)])),
          view: {},
        };
      });
  }

  /** What decides whether the file is there: conditions around it, and those of early returns before it. */
  function conditionsOf(node, owner) {
    const found = [];
    for (let each = node; each !== undefined && each !== owner; each = each.parent) {
      if (ts.isConditionalExpression(each.parent) && each.parent.condition !== each)
        found.push(each.parent.condition);
      if (ts.isBlock(each.parent))
        for (const before of each.parent.statements) {
          if (before === each) break;
          if (ts.isIfStatement(before)) found.push(before.expression);
        }
    }
    return found;
  }

  /** The command that fills the folder of a template. */
  const phaseOf = (folder) => (["openshift", "cluster-api"].includes(folder) ? "manifests" : folder);

  /** Who makes a file: the declaration and its source, what its comments say and cite, and whose platform it is. */
  function aboutOf(owner, file) {
    const source = relative(root, file);
    const platform = platformOf(source);
    // What a platform chose, and where it differs, is told on its page.
    const page = `docs/platforms/${platform}.md`;
    const pages = existsSync(join(root, page)) ? [page] : [];
    return {
      source,
      asset: owner.name?.text ?? source.replace(/^.*\/|\.ts$/g, ""),
      about: [firstSentence(commentOf(owner)), firstSentence(headOf(file).comment)],
      ...(platform === undefined ? {} : { platform }),
      cites: [...new Set([...citesOf(owner), ...headOf(file).cites, ...pages])].sort(),
    };
  }

  const stem = (template) => template.slice(template.lastIndexOf("/") + 1).replace(/(\.[a-z]+)$/, "*$1");

  // ---- platforms ----

  /** What a platform answers to a question such as `manifests.noProxy`. */
  function answers(name, questions) {
    const file = join(root, "src/platforms", name, "index.ts");
    home = name;
    const declaration = declared(file, "platform");
    const found = {};
    if (declaration === undefined) return found;
    for (const question of questions) {
      const nodes = question
        .split(".")
        .reduce((at, each) => at.flatMap((node) => membersOf(node, each, dirname(file))), [declaration]);
      if (nodes.length > 0) {
        const made = plain(madeFrom(nodes));
        const head = nodes
          .map((node) => node.getSourceFile().fileName)
          .filter((each) => each.startsWith(dirname(file)))
          .flatMap((each) => headOf(each).cites);
        found[question] = { ...made, cites: [...new Set([...made.cites, ...head])].sort() };
      }
    }
    return found;
  }

  /** The values of a member of what an expression gives. */
  function membersOf(node, name, folder) {
    if (node === undefined) return [];
    if (ts.isVariableDeclaration(node)) return membersOf(node.initializer, name, folder);
    if (ts.isIdentifier(node)) {
      const binding = bound(node);
      return membersOf(binding?.declaration ?? binding?.value, name, folder);
    }
    if (ts.isCallExpression(node)) return membersOf(literalOf(node), name, folder);
    if (ts.isFunctionDeclaration(node) || isFunction(node))
      return membersOf(literalOf(resultOf(node)), name, folder);
    if (!ts.isObjectLiteralExpression(node)) return [];
    return node.properties.flatMap((property) => {
      if (ts.isSpreadAssignment(property)) return membersOf(property.expression, name, folder);
      if (textOf(property.name) !== name) return [];
      if (ts.isMethodDeclaration(property)) return [property];
      const value = ts.isShorthandPropertyAssignment(property) ? property.name : property.initializer;
      if (!ts.isIdentifier(value)) return [value];
      const binding = bound(value);
      if (binding?.parameter === undefined) return [binding?.declaration ?? binding?.value ?? value];
      return argumentsFor(binding).filter((each) => each.getSourceFile().fileName.startsWith(`${folder}/`));
    });
  }

  // ---- files of slipway's own ----

  /** Names of files that are constants, with what is said of them; their folder is made for them. */
  function ownFiles(file) {
    const source = parsed(file);
    const constants = new Map();
    const found = [];
    for (const statement of source.statements)
      if (ts.isVariableStatement(statement))
        for (const { name, initializer } of statement.declarationList.declarations) {
          const path = constant(initializer, constants);
          if (path === undefined) continue;
          constants.set(name.text, path);
          if (/_FILE$/.test(name.text))
            found.push({
              path,
              source: file,
              asset: name.text,
              about: firstSentence(commentOf(statement)),
              cites: citesOf(statement),
            });
        }
    return found;
  }

  const constant = (node, known) =>
    node === undefined
      ? undefined
      : ts.isStringLiteralLike(node)
        ? node.text
        : ts.isTemplateExpression(node)
          ? node.head.text +
            node.templateSpans
              .map(({ expression, literal }) => known.get(expression.getText()) + literal.text)
              .join("")
          : undefined;

  const parsed = (file) =>
    sources.get(join(root, file)) ??
    ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);

  /** The members of the state by what is kept in them (`KEYS` of directory/state-members.ts). */
  function stateMembers(file) {
    const [keys] = parsed(file)
      .statements.filter(ts.isVariableStatement)
      .flatMap(({ declarationList: { declarations } }) => declarations)
      .filter(({ name }) => name.getText() === "KEYS");
    const literal = ts.isAsExpression(keys.initializer) ? keys.initializer.expression : keys.initializer;
    return Object.fromEntries(
      literal.properties
        .filter(({ initializer }) => ts.isStringLiteralLike(initializer))
        .map(({ name, initializer }) => [name.text, initializer.text]),
    );
  }

  return { renderings, answers, ownFiles, stateMembers };
}

const PHASE_FOLDERS = [
  "manifests",
  "openshift",
  "cluster-api",
  "agent-manifests",
  "infrastructure-manifests",
  "ignition-configs",
];

/** The module of origins, as text by its path in src/generated. */
export function compileOrigins(root, codeFiles, templates, platforms) {
  const { renderings, answers, ownFiles, stateMembers } = readOrigins(root, codeFiles);
  const texts = new Map(templates.map(({ name, source }) => [name, source]));
  const names = templates
    .map(({ name }) => name)
    .filter((name) => PHASE_FOLDERS.includes(name.slice(0, name.indexOf("/"))) && !name.includes("/_"));
  const rendered = (path) => names.some((name) => name.endsWith(`/${path.slice(path.lastIndexOf("/") + 1)}`));
  const origins = renderings(names).filter(({ template, path }) => template !== undefined || !rendered(path));
  const all = (each) => [each.from, ...Object.values(each.view ?? each.members ?? {}).flatMap(all)];
  const asks = [...new Set(origins.flatMap(all).flatMap(({ asks: each }) => each))].sort();
  const answered = Object.fromEntries(platforms.map((name) => [name, answers(name, asks)]));
  const made = [...origins.flatMap(all), ...Object.values(answered).flatMap(Object.values)];
  const rows = [...new Set(made.flatMap(({ rows: each }) => each))].sort();
  // Many places are made from the same: each is written once, and named by its number.
  const known = new Map();
  const number = (each) => {
    const text = JSON.stringify(each);
    if (!known.has(text)) known.set(text, known.size);
    return known.get(text);
  };
  const numbered = ({ from, ...node }) => ({
    ...node,
    from: number(from),
    ...(node.view && { view: mapValues(node.view, numbered) }),
    ...(node.members && { members: mapValues(node.members, numbered) }),
  });
  const table = {
    ORIGINS: origins.map(numbered),
    ANSWERS: mapValues(answered, (each) => mapValues(each, number)),
    MADE: [...known.keys()].map((text) => JSON.parse(text)),
    ROWS: Object.fromEntries(rows.map((row) => [row, rowOf(root, row)])),
    FIELDS: Object.fromEntries(
      [...new Set(origins.flatMap(({ template }) => template ?? []))].map((name) => [
        name,
        fieldsOf(name, texts),
      ]),
    ),
    OWN_FILES: [
      "src/directory/layout.ts",
      "src/platforms/supplement.ts",
      "src/phases/infrastructure-manifests/custom.ts",
    ].flatMap(ownFiles),
    STATE_MEMBERS: stateMembers("src/directory/state-members.ts"),
  };
  const text = Object.entries(table)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join("");
  return new Map([
    ["origins/table.js", text],
    ["origins/table.d.ts", DECLARATION],
  ]);
}

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

/** A row of a table by release, with the member of the table that the rows lie in. */
function rowOf(root, row) {
  const [file, name] = row.split("#");
  const table = JSON.parse(readFileSync(join(root, file), "utf8"));
  return Object.values(table).find((each) => Object.hasOwn(Object(each), name))?.[name] ?? {};
}

const DECLARATION = `/** What something is made from. */
export interface Made {
  /** Paths that begin with install-config, identity, pki, kubeadmin, facts, credentials, options, files, state, release or tool. */
  readonly reads: readonly string[];
  /** Tables of data, whatever the release. */
  readonly tables?: readonly string[];
  /** Rows of tables by release: FILE#NAME. */
  readonly rows: readonly string[];
  /** What the platform is asked: manifests.noProxy. */
  readonly asks: readonly string[];
  readonly cites: readonly string[];
}
export interface ViewNode {
  /** A number in MADE. */
  readonly from: number;
  readonly members?: { readonly [name: string]: ViewNode };
}
/** Who makes a file, and what the code says of it. */
export interface Maker {
  readonly source: string;
  readonly asset: string;
  readonly about: string;
  readonly cites: readonly string[];
}
export interface Origin extends Maker {
  /** Name of the template; a file without one is written as text. */
  readonly template?: string;
  /** Path of the file, with * for what varies. */
  readonly path: string;
  readonly phase: string;
  /** The one platform that has it. */
  readonly platform?: string;
  /** A number in MADE. */
  readonly from: number;
  readonly view: { readonly [name: string]: ViewNode };
}
export declare const ORIGINS: readonly Origin[];
export declare const MADE: readonly Made[];
/** What a platform's answers are made from: numbers in MADE. */
export declare const ANSWERS: { readonly [platform: string]: { readonly [ask: string]: number } };
export declare const ROWS: { readonly [row: string]: { readonly since?: string; readonly before?: string; readonly about?: string } };
/** By template: field of the object to place in the view; null where the template itself has the text. */
export declare const FIELDS: { readonly [template: string]: { readonly [field: string]: string | null } };
export declare const OWN_FILES: readonly (Maker & { readonly path: string })[];
export declare const STATE_MEMBERS: { readonly [name: string]: string };
`;

/** The first sentence of a comment, without what it cites in brackets. */
function firstSentence(comment) {
  const text = comment
    .replace(/^\/\*\*?|\*\/$/g, "")
    .replace(/\n\s*\*?/g, " ")
    .replace(/\s*\([^()]*docs\/reference\/[^()]*\)/g, "")
    .replace(/\s+/g, " ")
    .trim();
  return /^.*?[.:](?= [A-Z]|$)/.exec(text)?.[0].replace(/[.:]$/, "") ?? text;
}

/** True where a text with `*` fits. */
const matches = (text, name) =>
  text === name ||
  (text.includes("*") &&
    new RegExp(
      `^${text
        .split("*")
        .map(RegExp.escape ?? quote)
        .join("[\\w.-]+")}$`,
    ).test(name));
const quote = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
