/** A step of the document, and the forms that its sections share. */
import { codeBlock } from "../../text/markdown.js";
import { commandLine } from "../../text/shell.js";
import { releaseName } from "../releases.js";
import type { PlanInput } from "./compile.js";

/** A numbered section of the document. */
export interface Step {
  readonly title: string;
  readonly text: string;
}

/** How many rows a table has before it points to plan.json. */
export const SHOWN = 50;

/** Lines as a block of code. */
export const code = (...lines: readonly string[]): string => codeBlock(lines);

/** The command that compiles the plan again, from its folder. */
export const compileLine = (
  { judge, readFlags, planFlags }: PlanInput,
  copies: readonly string[],
  more: readonly string[],
): string =>
  commandLine([
    ...["slipway", "etcd", "plan", ...copies, "--release", releaseName(judge.target)],
    ...[...readFlags, ...planFlags, ...more],
  ]);
