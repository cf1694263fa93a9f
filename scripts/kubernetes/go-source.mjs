// Go source text as tokens, and the declarations in it that the tables of Kubernetes' releases are read from: constants,
// composite literals, calls, imports. Enough of the language for declarations; no types, nothing is evaluated.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const BLANK = /(?:[ \t\r]|\/\*[\s\S]*?\*\/|\/\/[^\n]*)+/y;
const TOKEN =
  /(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<text>"(?:[^"\\\n]|\\.)*"|`[^`]*`)|(?<rune>'(?:[^'\\\n]|\\.)+')|(?<number>(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?|\.\d+)i?)|(?<mark>\.\.\.|:=|&&|\|\||<-|\+\+|--|[=!<>]=|&\^=?|<<=?|>>=?|[-+*/%&|^]=|[-+*/%&|^!<>=()[\]{},;:.~])/uy;

/**
 * The tokens of a text: `{ kind, text, line }`, `kind` one of name, text, rune, number, mark, and newline for an end of
 * line. A text is its value.
 */
export function tokensOf(text, file = "Go source") {
  const tokens = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    BLANK.lastIndex = at;
    const blank = BLANK.exec(text)?.[0] ?? "";
    // A comment over several lines ends the line as a newline does.
    const lines = blank.split("\n").length - 1;
    if (lines > 0) tokens.push({ kind: "newline", text: "\n", line });
    line += lines;
    at += blank.length;
    if (at >= text.length) break;
    if (text[at] === "\n") {
      tokens.push({ kind: "newline", text: "\n", line });
      line += 1;
      at += 1;
      continue;
    }
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) throw new Error(`${file}:${line}: not a token of Go: ${text.slice(at, at + 20)}`);
    const [kind, raw] = Object.entries(found.groups).find(([, each]) => each !== undefined);
    tokens.push({ kind, text: kind === "text" ? unquoted(raw) : raw, line });
    line += raw.split("\n").length - 1;
    at += raw.length;
  }
  return tokens;
}

const ESCAPES = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

function unquoted(raw) {
  if (raw.startsWith("`")) return raw.slice(1, -1).replaceAll("\r", "");
  return raw
    .slice(1, -1)
    .replace(
      /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|([0-7]{3})|(.))/g,
      (_, u, U, x, octal, one) => {
        const code = u ?? U ?? x;
        if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
        if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
        return ESCAPES[one] ?? one;
      },
    );
}

const OPEN = { "(": ")", "[": "]", "{": "}" };

/** The place after the bracket that closes the one at `at`. */
export function afterBracket(tokens, at) {
  let depth = 0;
  for (let i = at; i < tokens.length; i += 1) {
    if (tokens[i].kind !== "mark") continue;
    if (tokens[i].text in OPEN) depth += 1;
    else if (tokens[i].text === ")" || tokens[i].text === "]" || tokens[i].text === "}") {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  throw new Error(`line ${tokens[at]?.line}: a bracket is not closed`);
}

const isMark = (token, text) => token?.kind === "mark" && token.text === text;

/**
 * Reads the expression at `at`. Its forms: `{ name }` with the dots that it is written with, `{ text }`, `{ number }`,
 * `{ call, arguments }`, `{ type, elements }` for a composite literal (an element is `{ key, value }`), `{ operands }`
 * of an operator, `{ body }` for a function. Gives `{ value, next }`.
 */
export function expressionAt(tokens, at) {
  let { value, next } = operandAt(tokens, skipLines(tokens, at));
  const operands = [value];
  while (
    tokens[next]?.kind === "mark" &&
    /^(?:[-+*/%&|^<>]|&&|\|\||[=!<>]=|<<|>>|&\^)$/.test(tokens[next].text)
  ) {
    const mark = tokens[next].text;
    ({ value, next } = operandAt(tokens, skipLines(tokens, next + 1)));
    operands.push(mark, value);
  }
  return { value: operands.length === 1 ? value : { operands }, next };
}

function skipLines(tokens, from) {
  let at = from;
  while (tokens[at]?.kind === "newline") at += 1;
  return at;
}

function operandAt(tokens, from) {
  let at = from;
  // What an address or an indirection changes is of no interest here.
  let sign = 1;
  while (tokens[at]?.kind === "mark" && /^[-+&*!^]$/.test(tokens[at].text)) {
    if (tokens[at].text === "-") sign = -sign;
    at += 1;
  }
  const token = tokens[at];
  if (token === undefined) throw new Error("the source ends in an expression");
  let value;
  if (token.kind === "text") [value, at] = [{ text: token.text }, at + 1];
  else if (token.kind === "number")
    [value, at] = [{ number: sign * Number(token.text.replaceAll("_", "")) }, at + 1];
  else if (token.kind === "rune") [value, at] = [{ rune: token.text }, at + 1];
  else if (isMark(token, "(")) {
    const inner = expressionAt(tokens, at + 1);
    [value, at] = [inner.value, skipLines(tokens, inner.next)];
    if (!isMark(tokens[at], ")")) throw new Error(`line ${token.line}: ) is missing`);
    at += 1;
  } else if (isMark(token, "{")) return compositeAt(tokens, at, undefined);
  else if (token.kind === "name" && token.text === "func") {
    const body = bodyOf(tokens, at + 1);
    if (body === undefined) throw new Error(`line ${token.line}: a function without a body`);
    const end = afterBracket(tokens, body);
    [value, at] = [{ body: tokens.slice(body + 1, end - 1) }, end];
  } else {
    const type = typeAt(tokens, at);
    [value, at] = [{ name: type.text }, type.next];
    if (isMark(tokens[at], "{")) return suffixesAt(tokens, compositeAt(tokens, at, type.text));
  }
  return suffixesAt(tokens, { value, next: at });
}

/** Calls, members, indices and assertions behind an operand. */
function suffixesAt(tokens, { value: first, next: from }) {
  let [value, at] = [first, from];
  for (;;) {
    if (isMark(tokens[at], "(")) {
      const { list, next } = listAt(tokens, at);
      [value, at] = [{ call: value, arguments: list.map((each) => each.value) }, next];
    } else if (isMark(tokens[at], ".") && tokens[skipLines(tokens, at + 1)]?.kind === "name") {
      const member = skipLines(tokens, at + 1);
      [value, at] = [{ of: value, member: tokens[member].text }, member + 1];
    } else if (isMark(tokens[at], "[") || isMark(tokens[at], ".")) {
      at = afterBracket(tokens, isMark(tokens[at], ".") ? at + 1 : at);
      value = { of: value };
    } else return { value, next: at };
  }
}

/** A name with its dots, or a type: `map[K]V`, `[]T`, `*T`; the text of generic arguments is part of it. */
function typeAt(tokens, from) {
  let at = from;
  let text = "";
  for (;;) {
    const token = tokens[at];
    if (isMark(token, "*")) [text, at] = [`${text}*`, at + 1];
    else if (isMark(token, "[") || (token?.kind === "name" && token.text === "map")) {
      const open = isMark(token, "[") ? at : at + 1;
      const end = afterBracket(tokens, open);
      text += tokens
        .slice(at, end)
        .map((each) => each.text)
        .join("");
      at = end;
    } else if (token?.kind === "name" && (token.text === "struct" || token.text === "interface")) {
      const end = afterBracket(tokens, at + 1);
      return { text: `${text}${token.text}`, next: end };
    } else if (token?.kind === "name") break;
    else throw new Error(`line ${token?.line}: neither a name nor a type: ${token?.text}`);
  }
  text += tokens[at].text;
  at += 1;
  while (isMark(tokens[at], ".") && tokens[at + 1]?.kind === "name") {
    text += `.${tokens[at + 1].text}`;
    at += 2;
  }
  return { text, next: at };
}

function compositeAt(tokens, at, type) {
  const { list, next } = listAt(tokens, at);
  return { value: { type, elements: list }, next };
}

/** What stands between brackets, parted by commas: `{ key, value }`, `key` where a colon follows it. */
function listAt(tokens, open) {
  const close = OPEN[tokens[open].text];
  const list = [];
  let at = skipLines(tokens, open + 1);
  while (!isMark(tokens[at], close)) {
    const first = expressionAt(tokens, at);
    at = skipLines(tokens, first.next);
    if (isMark(tokens[at], ":")) {
      const second = expressionAt(tokens, at + 1);
      list.push({ key: first.value, value: second.value });
      at = skipLines(tokens, second.next);
    } else list.push({ key: undefined, value: first.value });
    if (isMark(tokens[at], "...")) at = skipLines(tokens, at + 1);
    if (isMark(tokens[at], ",")) at = skipLines(tokens, at + 1);
    else if (!isMark(tokens[at], close))
      throw new Error(`line ${tokens[at]?.line}: , or ${close} expected, not ${tokens[at]?.text}`);
  }
  return { list, next: at + 1 };
}

/** The member of a composite literal; undefined where it has none. */
export const memberOf = (composite, name) => composite.elements.find(({ key }) => key?.name === name)?.value;

/** The brace that opens the body of a function whose signature begins at `from`; undefined for a mere type. */
function bodyOf(tokens, from) {
  for (let at = from; at < tokens.length; ) {
    if (isMark(tokens[at], "{")) return at;
    if (tokens[at].kind === "newline" || (tokens[at].kind === "mark" && /^[,;)}\]=]$/.test(tokens[at].text)))
      return undefined;
    if (tokens[at].kind === "name" && /^(?:struct|interface)$/.test(tokens[at].text)) at += 1;
    else if (!(tokens[at].kind === "mark" && tokens[at].text in OPEN)) {
      at += 1;
      continue;
    }
    at = afterBracket(tokens, at);
  }
  return undefined;
}

/** Every composite literal of a type, wherever it stands in the file. */
export function compositesOf(tokens, type) {
  const found = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at].kind !== "name" && !isMark(tokens[at], "[")) continue;
    if (tokens[at].kind === "name" && (tokens[at].text === "struct" || tokens[at].text === "interface"))
      continue;
    if (tokens[at].kind === "name" && tokens[at].text === "func") {
      // The type of a result stands before a brace as well, that of the body.
      at = bodyOf(tokens, at + 1) ?? at;
      continue;
    }
    let read;
    try {
      read = typeAt(tokens, at);
    } catch {
      continue;
    }
    if (!isMark(tokens[read.next], "{") || !type.test(read.text)) continue;
    const { value, next } = compositeAt(tokens, read.next, read.text);
    found.push(value);
    at = next - 1;
  }
  return found;
}

/** The arguments of every call of a function, wherever it is called. */
export function callsOf(tokens, name) {
  const found = [];
  for (let at = 0; at + 1 < tokens.length; at += 1)
    if (tokens[at].kind === "name" && tokens[at].text === name && isMark(tokens[at + 1], "("))
      if (!(tokens[at - 1]?.kind === "name" && tokens[at - 1].text === "func") && !isMethod(tokens, at))
        found.push(listAt(tokens, at + 1).list.map(({ value }) => value));
  return found;
}

/** True for the name in `func (r Receiver) name(`. */
const isMethod = (tokens, at) => {
  let open = at - 1;
  if (!isMark(tokens[open], ")")) return false;
  while (open > 0 && !isMark(tokens[open], "(")) open -= 1;
  return tokens[open - 1]?.kind === "name" && tokens[open - 1].text === "func";
};

/** The imports of a file: name in the file → path. */
export function importsOf(tokens) {
  const found = new Map();
  const nameOf = (path) => {
    const parts = path.split("/");
    const last = parts.at(-1);
    return /^v\d+$/.test(last) && !path.startsWith("k8s.io/") ? parts.at(-2) : last;
  };
  for (let at = 0; at < tokens.length; at += 1) {
    if (!(tokens[at].kind === "name" && tokens[at].text === "import")) {
      if (tokens[at].kind === "name" && /^(?:func|type|var|const)$/.test(tokens[at].text)) break;
      continue;
    }
    const end = isMark(tokens[at + 1], "(") ? afterBracket(tokens, at + 1) : at + 4;
    for (let i = at + 1; i < end && i < tokens.length; i += 1) {
      if (tokens[i].kind !== "text") continue;
      const alias =
        tokens[i - 1].kind === "name" && tokens[i - 1].text !== "import" ? tokens[i - 1].text : undefined;
      found.set(alias ?? nameOf(tokens[i].text), tokens[i].text);
      if (end === at + 4) break;
    }
    at = end - 1;
  }
  return found;
}

/** The constants and variables of a file that are set to a text or to another name: name → `{ text }` or `{ name }`. */
export function constantsOf(tokens) {
  const found = new Map();
  for (let at = 0; at < tokens.length; at += 1) {
    if (!(tokens[at].kind === "name" && /^(?:const|var)$/.test(tokens[at].text))) continue;
    const group = isMark(tokens[at + 1], "(");
    const end = group ? afterBracket(tokens, at + 1) - 1 : at + 8;
    for (let i = at + 1 + (group ? 1 : 0); i < Math.min(end, tokens.length); i += 1) {
      if (group && tokens[i].text in OPEN && tokens[i].kind === "mark") {
        i = afterBracket(tokens, i) - 1;
        continue;
      }
      const starts = tokens[i - 1]?.kind === "newline" || (!group && i === at + 1);
      if (!starts || tokens[i].kind !== "name") continue;
      let set = i + 1;
      while (tokens[set]?.kind === "name" || isMark(tokens[set], ".")) set += 1;
      if (!isMark(tokens[set], "=")) {
        if (!group) break;
        continue;
      }
      const value = tokens[set + 1];
      if (value?.kind === "text") found.set(tokens[i].text, { text: value.text });
      else if (value?.kind === "name") {
        const type = typeAt(tokens, set + 1);
        const converted = isMark(tokens[type.next], "(") && isMark(tokens[type.next + 2], ")");
        const inner =
          converted && tokens[type.next + 1].kind === "text" ? tokens[type.next + 1].text : undefined;
        found.set(tokens[i].text, inner === undefined ? { name: type.text } : { text: inner });
      }
      if (!group) break;
    }
    if (group) at = end;
  }
  return found;
}

/** The expression that a constant or a variable is set to. */
export function constantExpression(tokens, name) {
  for (let at = 1; at + 1 < tokens.length; at += 1)
    if (tokens[at].text === name && tokens[at].kind === "name" && isMark(tokens[at + 1], "="))
      return expressionAt(tokens, at + 2).value;
  throw new Error(`nothing is set to ${name}`);
}

/** The functions of a file: `{ name, receiver, body }`, `receiver` the name of its type. */
export function functionsOf(tokens) {
  const found = [];
  let depth = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at].kind === "mark" && tokens[at].text in OPEN) depth += 1;
    else if (tokens[at].kind === "mark" && /^[)\]}]$/.test(tokens[at].text)) depth -= 1;
    if (depth > 0 || !(tokens[at].kind === "name" && tokens[at].text === "func")) continue;
    let name = at + 1;
    let receiver;
    if (isMark(tokens[name], "(")) {
      const end = afterBracket(tokens, name);
      receiver = tokens.slice(name, end).findLast((each) => each.kind === "name")?.text;
      name = end;
    }
    const body = bodyOf(tokens, name + 1);
    if (body === undefined) continue;
    const end = afterBracket(tokens, body);
    found.push({ name: tokens[name].text, receiver, body: tokens.slice(body + 1, end - 1) });
    at = end - 1;
  }
  return found;
}

const MODULES = /^k8s\.io\/([^/]+)(?:\/(.*))?$/;

/**
 * A release of Kubernetes below a folder: a checkout of kubernetes/kubernetes, or a Go module cache (or a folder of
 * modules in its form, `k8s.io/kubernetes@v1.37.2`) that has the release's modules. `patch` is its newest patch there.
 */
export function kubernetesRelease(folder, release) {
  const minor = /^1\.(\d+)$/.exec(release)?.[1];
  if (minor === undefined) throw new Error(`${release} is no release of Kubernetes, such as 1.38`);
  const listing = (path) => {
    try {
      return readdirSync(path);
    } catch {
      return [];
    }
  };
  if (listing(folder).includes("staging")) {
    const changes = readText(join(folder, `CHANGELOG/CHANGELOG-${release}.md`));
    const patch = new RegExp(`^# v${release.replace(".", "\\.")}\\.(\\d+)$`, "m").exec(changes ?? "")?.[1];
    if (patch === undefined)
      throw new Error(
        `${folder} is no checkout of a patch of ${release}: CHANGELOG/CHANGELOG-${release}.md names none`,
      );
    return releaseOf(release, Number(patch), (module) =>
      module === "kubernetes" ? folder : join(folder, "staging/src/k8s.io", module),
    );
  }
  const modules = listing(join(folder, "k8s.io"));
  const home = modules.length > 0 ? join(folder, "k8s.io") : folder;
  const patches = listing(home)
    .map((name) => new RegExp(`^kubernetes@v1\\.${minor}\\.(\\d+)$`).exec(name)?.[1])
    .filter((each) => each !== undefined)
    .map(Number);
  if (patches.length === 0) throw new Error(`${folder} has no k8s.io/kubernetes@v${release}.*`);
  const patch = Math.max(...patches);
  return releaseOf(release, patch, (module) =>
    join(
      home,
      module === "kubernetes" ? `kubernetes@v${release}.${patch}` : `${module}@v0.${minor}.${patch}`,
    ),
  );
}

function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function releaseOf(release, patch, home) {
  const read = new Map();
  /** The place of `k8s.io/api/core/v1`, or of a file below it. */
  const place = (path) => {
    const [, module, rest] = MODULES.exec(path) ?? [];
    return module === undefined ? undefined : join(home(module), rest ?? "");
  };
  const self = {
    release,
    version: `v${release}.${patch}`,
    place,
    /** Names in a folder; none where it is absent. */
    list: (path) => {
      try {
        return readdirSync(place(path)).sort();
      } catch {
        return [];
      }
    },
    /** The text of a file, which has to be there. */
    text: (path) => {
      const text = readText(place(path));
      if (text === undefined) throw new Error(`Kubernetes ${release}: ${path} is missing (${place(path)})`);
      return text;
    },
    has: (path) => readText(place(path)) !== undefined,
    tokens: (path) => {
      if (!read.has(path)) read.set(path, tokensOf(self.text(path), path));
      return read.get(path);
    },
    /** The Go files of a package, without its tests. */
    sources: (path) =>
      self
        .list(path)
        .filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"))
        .map((name) => `${path}/${name}`),
    /** The text of a constant of a package: `Foo` in the file itself, `alias.Foo` by its imports. */
    constant: (file, name) => {
      const [first, second] = name.split(".");
      const home = file.slice(0, file.lastIndexOf("/"));
      const where = second === undefined ? home : importsOf(self.tokens(file)).get(first);
      for (const each of where === undefined ? [] : self.sources(where)) {
        const value = constantsOf(self.tokens(each)).get(second ?? first);
        if (value?.text !== undefined) return value.text;
        if (value?.name !== undefined) return self.constant(each, value.name);
      }
      return undefined;
    },
  };
  return self;
}
