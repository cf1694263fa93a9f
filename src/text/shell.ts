/**
 * Words of POSIX shell commands. Every text that slipway did not write itself passes here on its way into a script or
 * into a command that somebody is asked to type.
 */

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

/** A command from its words. What stands where a program expects a name has to be judged as a name before. */
export const commandLine = (words: readonly string[]): string => words.map(shellWord).join(" ");
