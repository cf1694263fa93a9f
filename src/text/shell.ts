/**
 * Words of POSIX shell commands. Every text that slipway did not write itself passes here on its way into a script or
 * into a command that somebody is asked to type.
 */

import { withoutEnd } from "../core/trim.js";

/** What no shell gives a meaning, wherever in a word it stands; zsh expands a leading `=`. */
const PLAIN = /^(?!=)[A-Za-z0-9_./:=@%+,-]+$/;

/** A text between single quotes, whatever it holds. No argument of a program can hold NUL, so it is replaced. */
export const singleQuoted = (text: string): string =>
  `'${text.replaceAll("\0", "\ufffd").replaceAll("'", "'\\''")}'`;

/** A text as one word: a flag, or the value of one. An operand may be taken for a flag: see {@link pathWord}. */
export const shellWord = (text: string): string => (PLAIN.test(text) ? text : singleQuoted(text));

/** A variable that a program is given, as a word before its name or of `env`. */
export const assignment = (name: string, value: string): string => `${name}=${shellWord(value)}`;

/** A path as one word; `./` keeps a leading dash from being read as a flag. */
export const pathWord = (path: string): string => shellWord(path.startsWith("-") ? `./${path}` : path);

/** The path of a file in a folder. */
const pathIn = (folder: string, name: string): string =>
  folder === "." ? name : `${withoutEnd(folder, "/")}/${name}`;

/** The path of a file in a folder as a word of a command. */
export const wordIn = (folder: string, name: string): string => pathWord(pathIn(folder, name));

/**
 * A folder for what somebody makes of a directory: named after it, so that no two directories share one. What has no
 * name of its own, such as `..`, has it inside.
 */
export const besideOf = (directory: string, name: string): string => {
  const path = withoutEnd(directory, "/");
  return /(?:^|\/)\.{0,2}$/.test(path) ? pathIn(directory, name) : `${path}-${name}`;
};

/** Commands that make a folder for secrets: its owner's alone, passed over by Git, and none that is there already. */
export const makePrivateFolder = (folder: string): readonly string[] => [
  `mkdir -m 0700 ${pathWord(folder)}`,
  `printf '*\\n' > ${wordIn(folder, ".gitignore")}`,
];

/** A file that is no YAML is encrypted as a whole (SOPS). */
export const DECRYPT_WHOLE = "sops decrypt --input-type binary --output-type binary";

/** Commands as one, which stops at the first that fails. A shell reads on behind `&&` at the end of a line. */
export const chained = (commands: readonly string[]): string => commands.join(" &&\n");

/** A command from its words. What stands where a program expects a name has to be judged as a name before. */
export const commandLine = (words: readonly string[]): string => words.map(shellWord).join(" ");

/**
 * The words of a command as it is typed. Text is split at blanks; a value is one word, or a part of one, whatever it
 * contains; of a list each member is a word, and undefined is none.
 */
export function words(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[] | undefined)[]
): string[] {
  const found: string[] = [];
  let isOpen = false;
  const add = (text: string): void => {
    const last = isOpen ? (found.pop() ?? "") : "";
    found.push(`${last}${text}`);
    isOpen = true;
  };
  texts.forEach((text, index) => {
    const [first = "", ...others] = text.split(/\s+/);
    if (first !== "") add(first);
    for (const word of others) {
      isOpen = false;
      if (word !== "") add(word);
    }
    const value = values[index];
    if (typeof value === "object") found.push(...value);
    else if (value !== undefined) add(String(value));
  });
  return found;
}

/** A command of such words, each quoted as a shell needs it. */
export const shell = (...command: Parameters<typeof words>): string => commandLine(words(...command));
