/** sshKey, and what FIPS asks of it (facts/install-config-and-manifests.md §1.7). */
import { sshKeyType } from "../../../pki/ssh-public-key.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";

const FIT_FOR_FIPS = /^(ssh-rsa|ecdsa-sha2-nistp\d{3})$/;
const FORM = 'a key looks like "ssh-ed25519 AAAA… comment"';

export function validateSshKeys(config: NormalConfig, context: RuleContext): void {
  const text = config.sshKey ?? "";
  if (text === "") {
    warnOfNoKey(config, context);
    return;
  }
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
          : `${FORM}; each line is one key, comments are not allowed`,
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
  });
}
