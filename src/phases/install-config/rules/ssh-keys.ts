/** sshKey, and what FIPS asks of it (docs/reference/install-config-and-manifests.md §1.7). */
import { firstSshKey, sshKeyType } from "../../../pki/ssh-public-key.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";
import { quote } from "../../../text/quote.js";

const FIT_FOR_FIPS = /^(ssh-rsa|ecdsa-sha2-nistp\d{3})$/;
const FORM = 'a key looks like "ssh-ed25519 AAAA… comment"';

export function validateSshKeys(config: NormalConfig, context: RuleContext): void {
  const text = config.sshKey ?? "";
  if (text === "") {
    warnOfNoKey(config, context);
    return;
  }
  warnOfOtherReaders(text, context);
  if (config.fips === true) {
    validateForFips(text, context);
    return;
  }
  const keys = inForce(context.release, "sshKeyPerLine") ? text.split("\n") : [text];
  const unreadable = keys.findIndex((key) => key !== "" && sshKeyType(key) === undefined);
  if (unreadable >= 0)
    context.report({
      code: "IC120",
      kind: "Invalid",
      field: "sshKey",
      message:
        keys.length === 1
          ? "this is not a public SSH key"
          : `line ${unreadable + 1} of the keys is not a public SSH key`,
      hint: /^\s*-----BEGIN [A-Z ]*PRIVATE KEY/.test(text)
        ? "this is a private key; give the public one, from the file that ends in .pub"
        : /^[~./]?[\w./~-]+\.pub\s*$/.test(text)
          ? "this looks like the name of a file; give what is in it"
          : `${FORM}; each line is one key, and a line of its own for a comment is not allowed`,
      inFile: { line: unreadable + 1, column: 1 },
    });
}

/** What upstream takes for a key and sshd does not. */
function warnOfOtherReaders(text: string, { report }: RuleContext): void {
  text.split("\n").forEach((line, i) => {
    const key = firstSshKey(line);
    const message =
      key === undefined
        ? undefined
        : key.written !== key.type
          ? `sshd passes over line ${i + 1}: its first word is ${quote(key.written)}, and the key is of the type ${key.type}`
          : key.hasAnother
            ? `line ${i + 1} seems to hold several keys, and sshd reads the first alone`
            : undefined;
    if (key === undefined || message === undefined) return;
    report({
      code: "IC122",
      severity: "warning",
      kind: "Invalid",
      field: "sshKey",
      message,
      hint:
        key.written === key.type ? "put each key on a line of its own" : `begin the line with ${key.type}`,
      inFile: { line: i + 1, column: 1 },
    });
  });
}

function validateForFips(text: string, { report }: RuleContext): void {
  const type = sshKeyType(text);
  if (type === undefined)
    report({
      code: "IC120",
      kind: "Invalid",
      field: "sshKey",
      message: "this is not a public SSH key",
      hint: FORM,
      inFile: { line: 1, column: 1 },
    });
  else if (!FIT_FOR_FIPS.test(type))
    report({
      code: "IC121",
      kind: "Invalid",
      field: "sshKey",
      message: `a key of the type ${type} cannot be used with fips: true`,
      hint: "use an RSA or ECDSA key",
    });
}

function warnOfNoKey(config: NormalConfig, { report }: RuleContext): void {
  if (config.sshKey === undefined) return;
  report({
    code: "IC122",
    severity: "warning",
    kind: "Required",
    field: "sshKey",
    message: "the key is empty, so nobody can log in to the machines",
    hint: "give a public SSH key, or leave sshKey out on purpose",
    inFile: {
      message: "the file is empty, so nobody can log in to the machines",
      hint: "put a public SSH key into it, or leave it out on purpose",
    },
  });
}
