import type { Credentials, RuleContext } from "../platform.js";

/** A cluster on platform external holds no cloud credentials; a file that is named all the same is not read. */
export const readCredentials = (
  _text: string,
  _file: string,
  _context: RuleContext,
): Credentials | undefined => undefined;
