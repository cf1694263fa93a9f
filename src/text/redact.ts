/**
 * Takes secrets out of what is shown to people: diffs, messages, logs. The rule is to hide too much rather than too
 * little; what remains tells which field it was.
 */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { WRITE_ONLY_NAMES } from "../generated/secret-names.js";

export const REDACTED = "<redacted>";

/** Names of members whose value is a secret, without case, `-`, `_` and `.`. */
const SECRET_NAME =
  /^(?:pullsecret|sshkeys?|sshauthorizedkeys?|auth|userdata|dockerconfigjson|dockercfg|htpasswd|clientkeydata|(?:.*(?:password|passwordhash|passwd|passphrase|token|privatekey|secretkey|secretaccesskey|clientsecret|apikey|accesskey|credentials?)))$/;

/** Members that a schema marks `writeOnly`, in the same form. */
const WRITE_ONLY = new Set(WRITE_ONLY_NAMES.map(bare));

export const isSecretName = (name: string): boolean =>
  SECRET_NAME.test(bare(name)) || WRITE_ONLY.has(bare(name));

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]/g, "");
}

/** User information in a URL. */
const USER_INFO = {
  form: /(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,20}:\/\/)[^/?#\s"']*@/g,
  by: `$1${REDACTED}@`,
};

/**
 * A login without a scheme, as it is written where a host name is asked for. The digest of an image is none, nor is a
 * member of a policy of Google's (`serviceAccount:NAME@PROJECT.iam.gserviceaccount.com`).
 */
const LOGIN = {
  form: /(?<![A-Za-z0-9_.%+~:/@\\-])(?!serviceAccount:)[A-Za-z0-9_.%+~\\-]{1,64}(?:@[A-Za-z0-9.-]{1,100})?:(?:(?!\/\/)[^\s"']){1,200}@(?!sha(?:256|512):)(?=[A-Za-z0-9[])/g,
  by: `${REDACTED}@`,
};

/** Signatures in a URL that give everybody what is behind it (Azure SAS, presigned addresses of S3 and Google). */
const SIGNATURE = {
  form: /([?&](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=)[^&#\s"'][^&#\s"']*/gi,
  by: `$1${REDACTED}`,
};

/** A text without the logins and signatures of its URLs; the rest stays as it is. */
export const withoutLogins = (text: string): string =>
  [USER_INFO, LOGIN, SIGNATURE].reduce((before, { form, by }) => before.replace(form, by), text);

/** A private key, with or without its end. */
const PRIVATE_KEY = {
  form: /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  by: REDACTED,
};

/** True where a text lets somebody in, by its own form: a login or a signature in a URL, a private key. */
export function holdsSecret(value: Json): boolean {
  if (typeof value === "string")
    return [USER_INFO, LOGIN, SIGNATURE, PRIVATE_KEY].some(({ form }) => value.search(form) >= 0);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsSecret);
}

/** Names of members that hold what everybody may read. */
const PUBLIC_NAME = /^ssh/i;

/**
 * Fields with a text in them whose names say that it is a secret, such as `spec.password`. References to Secrets are
 * objects, or named otherwise.
 */
export const secretFields = (value: Json, path = ""): readonly string[] =>
  isList(value)
    ? value.flatMap((each, index) => secretFields(each, `${path}[${index}]`))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, each]) => {
          const field = path === "" ? name : `${path}.${name}`;
          if (typeof each !== "string") return secretFields(each, field);
          return each !== "" && isSecretName(name) && !PUBLIC_NAME.test(name) ? [field] : [];
        })
      : [];

/** A character in the comment of a public key: a blank, a tab, or what is neither white space nor ends a value. */
const IN_COMMENT = String.raw`[^"',\]}\n\v\f\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]`;

/**
 * What is a secret by its own form, wherever it stands in a text. A line may have millions of characters, and the engine
 * keeps a step on its stack for every turn of a loop over a group (`(?:…)*`) or with a least number (`[…]{8,}`): a loop
 * of any length is over one class here, `[…]*`, for which it keeps none. `[…]+` is `[…][…]*` to it only until a process
 * has compiled a megabyte of expressions; then it counts the turns of that loop too.
 */
const SECRET_FORMS: readonly { readonly form: RegExp; readonly by: string }[] = [
  PRIVATE_KEY,
  USER_INFO,
  LOGIN,
  SIGNATURE,
  // Public keys of SSH name people and machines.
  {
    form: new RegExp(
      String.raw`\b(?:(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]{1,60})\s\s*AAAA[A-Za-z0-9+/=][A-Za-z0-9+/=]*(?:[ \t]${IN_COMMENT}*[^\s"',\]}])?`,
      "g",
    ),
    by: REDACTED,
  },
  // bcrypt and crypt(3) hashes.
  { form: /\$(?:2[abxy]?|[156]|y|gy)\$[./$A-Za-z0-9=,]{20}[./$A-Za-z0-9=,]*/g, by: REDACTED },
  // Content of a data URL.
  { form: /(data:[^\s,"']{0,200},)[^\s"'][^\s"']*/g, by: `$1${REDACTED}` },
  // Credentials in a header, JSON web tokens.
  { form: /\b(Bearer|Basic)\s\s*[A-Za-z0-9+/=._~-]{8}[A-Za-z0-9+/=._~-]*/gi, by: `$1 ${REDACTED}` },
  { form: /\beyJ[A-Za-z0-9_-]{8,600}\.[A-Za-z0-9_-][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)?/g, by: REDACTED },
];

/** `"name":` or `name:` in any text, up to its value. */
const INLINE_NAME = /(?<![A-Za-z0-9_.-])(["']?)([A-Za-z.][A-Za-z0-9_.-]{0,80})\1\s*[:=]\s*/g;
/** A value of one line without quotes. */
const INLINE_WORD = /[^\s,{}[\]"'#&|>][^,{}\n]*/y;
/** What stands before the name of a member: blanks, and the dashes of lists. */
const LEAD = String.raw`^(\s*(?:-[- ]* )?)`;
/** `name: |` and the like, whose value is in the lines below that are indented deeper. */
const BLOCK_MEMBER = new RegExp(
  String.raw`${LEAD}(["']?)([A-Za-z.][A-Za-z0-9_.-]*)\2\s*:\s*[|>][-+0-9]*\s*(?:#.*)?$`,
);
const LIST_MEMBER = new RegExp(String.raw`${LEAD}(["']?)([A-Za-z.][A-Za-z0-9_.-]*)\2\s*:\s*(?:#.*)?$`);

/** Any text, its form kept: YAML, JSON or prose, whole or in part. */
export function redactText(text: string): string {
  const whole = SECRET_FORMS.reduce((before, { form, by }) => before.replace(form, by), text);
  const lines: string[] = [];
  /** Indentation of the member whose value is being left out; -1 outside of one. */
  let hidden = -1;
  for (const line of whole.split("\n")) {
    if (hidden >= 0) {
      const blank = line.trim() === "";
      if (blank || indentOf(line) > hidden || (indentOf(line) === hidden && /^\s*-(?:\s|$)/.test(line))) {
        if (!blank) lines.push(`${" ".repeat(indentOf(line))}${REDACTED}`);
        continue;
      }
      hidden = -1;
    }
    lines.push(redactLine(line));
    const open = BLOCK_MEMBER.exec(line) ?? LIST_MEMBER.exec(line);
    if (open?.[3] !== undefined && isSecretName(open[3])) hidden = (open[1] ?? "").length;
  }
  return lines.join("\n");
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** A line that is one member, `- name: value`: the value may hold any character. */
const LINE_MEMBER = new RegExp(
  String.raw`${LEAD}((["']?)([A-Za-z.][A-Za-z0-9_.-]{0,80})\3\s*:\s\s*)([^\s{].*)$`,
);
const isNothing = (value: string): boolean =>
  /^(?:""?|''?|"?…"?|null|~|true|false|[|>][-+0-9]*)$/.test(value.trim());

function redactLine(line: string): string {
  const [, lead = "", start = "", , lineName = "", rest = ""] = LINE_MEMBER.exec(line) ?? [];
  const lineValue = rest.trimEnd().replace(/,$/, "");
  if (isSecretName(lineName) && !isNothing(lineValue))
    return `${lead}${start}${REDACTED}${rest.slice(lineValue.length)}`;
  const parts: string[] = [];
  let copied = 0;
  const names = new RegExp(INLINE_NAME);
  for (let found = names.exec(line); found !== null; found = names.exec(line)) {
    const from = names.lastIndex;
    const quote = /["']/.exec(line.charAt(from))?.[0] ?? "";
    const to = quote === "" ? wordEnd(INLINE_WORD, line, from) : (quotedEnd(line, from) ?? line.length);
    if (to > from && isSecretName(found[2] ?? "") && !isNothing(line.slice(from, to))) {
      parts.push(line.slice(copied, from), quote, REDACTED, quote);
      copied = to;
    }
    names.lastIndex = to;
  }
  return parts.length === 0 ? line : parts.join("") + line.slice(copied);
}

/** Where a word ends by an expression that is sticky; `start` where there is none. */
export function wordEnd(word: RegExp, line: string, start: number): number {
  word.lastIndex = start;
  return word.test(line) ? word.lastIndex : start;
}

/** Where a text in quotes ends; undefined where they are not closed. */
export function quotedEnd(line: string, start: number): number | undefined {
  const quote = line.charAt(start);
  for (let i = start + 1; i < line.length; i++) {
    const char = line.charAt(i);
    if (char === "\\" && quote === '"') i++;
    else if (char === quote && quote === "'" && line.charAt(i + 1) === "'") i++;
    else if (char === quote) return i + 1;
  }
  return undefined;
}

/** A value with every secret in it replaced: all data of Secrets, members named like one, texts that hold one. */
export function redactJson(value: Json): Json {
  if (typeof value === "string") return redactText(value);
  if (isList(value)) return value.map(redactJson);
  if (!isObject(value)) return value;
  const isSecret = value["kind"] === "Secret";
  const pairs = Object.entries(value).map(([name, member]): [string, Json] => {
    if (isSecret && (name === "data" || name === "stringData")) return [name, hideAll(member)];
    // The last configuration that kubectl applied repeats the whole object.
    if (isSecret && name === "metadata" && isObject(member)) return [name, hideAnnotations(member)];
    return [name, isSecretName(name) ? hideScalars(member) : redactJson(member)];
  });
  return Object.fromEntries(pairs);
}

const hideAnnotations = (metadata: JsonObject): JsonObject => {
  const name = "kubectl.kubernetes.io/last-applied-configuration";
  const { annotations } = metadata;
  if (!isObject(annotations) || annotations[name] === undefined) return metadata;
  return { ...metadata, annotations: { ...annotations, [name]: REDACTED } };
};

/** Every value of Secret data, whatever its form. */
function hideAll(value: Json): Json {
  if (isObject(value)) return Object.fromEntries(Object.keys(value).map((key) => [key, REDACTED]));
  return value === null ? null : REDACTED;
}

/** Scalars and lists of scalars of a secret member; an object below it (`credentials: {name: x}`) is looked into. */
function hideScalars(value: Json): Json {
  if (isObject(value)) return redactJson(value);
  if (isList(value)) return value.map(hideScalars);
  return value === null || value === "" || typeof value === "boolean" ? value : REDACTED;
}
