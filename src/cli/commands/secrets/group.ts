/** `slipway secrets …`: files that are encrypted for several people. */
import { FLAGS } from "../../../pipeline/flags.js";
import type { Command, Group } from "../../command.js";
import { fleet } from "../init/flags.js";

/** The flag of the commands that compile, for another purpose. */
const ofKeys = {
  ...fleet,
  describe:
    "update the keys of all clusters in a fleet file, of the file itself and of the files that it names",
};

export const updateKeys: Command = {
  path: "secrets update-keys",
  summary: "Re-encrypt files for the recipients in .sops.yaml",
  details: `Run it after someone joins or leaves. Updates every SOPS-encrypted file of a directory, and the files that its flags name, to the age recipients of the creation rule for the file. A new recipient gets the data key; nothing else in the file changes. If a recipient is removed, the file is encrypted with a new data key. This cannot be undone: a removed recipient has read the old values, and Git keeps them. Replace the secrets themselves. Requires a key that decrypts the files; if one file cannot be updated, nothing is written.`,
  flags: [FLAGS.dir, ofKeys, FLAGS.ageRecipients, FLAGS.ageKeyFile],
  examples: [{ line: "slipway secrets update-keys --fleet fleet.txt", does: "all clusters of a repository" }],
  writes: true,
  load: async () => (await import("./update-keys-run.js")).runUpdateKeys,
};

export const secretsGroup: Group = {
  word: "secrets",
  summary: "Update the recipients of encrypted files",
  commands: [updateKeys],
};
