import { formatMinor, type Minor } from "../../../core/minor.js";
import { RELEASES } from "../../../core/release.js";
import { ALL_CODES } from "../../../explain/codes/diagnostic.js";
import { listDocuments } from "../../../explain/documents.js";
import { membersOf } from "../../../explain/fields.js";
import { NEWEST_TARGET, OLDEST_TARGET } from "../../../kubernetes/releases.js";
import type { Group, Handler } from "../../command.js";
import { completionScript, type Suggestions } from "../../completion.js";
import { EXIT } from "../../exit.js";
import { shell } from "./flags.js";

/** The releases from one to another of the same major. */
const between = (oldest: Minor, newest: Minor): readonly string[] =>
  Array.from({ length: newest.minor - oldest.minor + 1 }, (_, index) =>
    formatMinor({ ...oldest, minor: oldest.minor + index }),
  );

/** Documents that a user writes, each with its first fields, and what else can be explained. */
async function topics(): Promise<readonly string[]> {
  const documents = listDocuments();
  const inputs = documents.filter(({ group }) => group === "inputs");
  const fields = await Promise.all(
    inputs.map(async ({ name, load }) => {
      const schema = await load();
      const members = membersOf(schema, schema).filter((member) => /^\w+$/.test(member.name));
      return members.map((member) => `${name}.${member.name}`);
    }),
  );
  return [...documents.map(({ name }) => name), ...fields.flat(), ...ALL_CODES];
}

const suggestions = async (): Promise<Suggestions> => {
  const kubernetes = between(OLDEST_TARGET, NEWEST_TARGET);
  return {
    values: { RELEASE: RELEASES, VERSION: kubernetes },
    operands: { explain: await topics() },
  };
};

/** Knows all other commands from its caller, since the table holds this one, too. */
export const completion =
  (commands: Parameters<typeof completionScript>[1], groups: readonly Group[]): Handler =>
  async (args, cli) => {
    cli.stdout.pass(completionScript(args.get(shell), commands, groups, await suggestions()));
    return EXIT.done;
  };
