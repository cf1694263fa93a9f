/** sshKey, and what FIPS asks of it (docs/reference/install-config-and-manifests.md §1.7). */
import { forbidden, HIDDEN, invalid, warning } from "../../../core/problem.js";
import { firstSshKey, sshKeyType } from "../../../pki/ssh-public-key.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";
import { quote } from "../../../text/quote.js";

const FIELD = "sshKey";
const FIT_FOR_FIPS = /^(ssh-rsa|ecdsa-sha2-nistp\d{3})$/;
const FORM = 'use a key such as "ssh-ed25519 AAAA… comment"';

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
    context.report(
      invalid(
        "IC120",
        FIELD,
        HIDDEN,
        keys.length === 1 ? "must be an SSH public key" : `line ${unreadable + 1} must be an SSH public key`,
        {
          hint: /^\s*-----BEGIN [A-Z ]*PRIVATE KEY/.test(text)
            ? "this is a private key; use the public key from the file that ends in .pub"
            : /^[~./]?[\w./~-]+\.pub\s*$/.test(text)
              ? "this looks like a file name; use the content of the file"
              : `${FORM}, one key per line and no comment lines`,
          inFile: { line: unreadable + 1, column: 1 },
        },
      ),
    );
}

/** What upstream accepts as a key and sshd does not. */
function warnOfOtherReaders(text: string, { report }: RuleContext): void {
  text.split("\n").forEach((line, i) => {
    const key = firstSshKey(line);
    const message =
      key === undefined
        ? undefined
        : key.written !== key.type
          ? `sshd ignores line ${i + 1}: it starts with ${quote(key.written)}, but the key type is ${key.type}`
          : key.hasAnother
            ? `line ${i + 1} contains several keys, and sshd reads only the first`
            : undefined;
    if (key === undefined || message === undefined) return;
    report(
      warning("IC122", "Invalid", FIELD, message, {
        hint: key.written === key.type ? "put each key on its own line" : `start the line with ${key.type}`,
        inFile: { line: i + 1, column: 1 },
      }),
    );
  });
}

function validateForFips(text: string, { report }: RuleContext): void {
  const type = sshKeyType(text);
  if (type === undefined)
    report(
      invalid("IC120", FIELD, HIDDEN, "must be an SSH public key", {
        hint: FORM,
        inFile: { line: 1, column: 1 },
      }),
    );
  else if (!FIT_FOR_FIPS.test(type))
    report(
      forbidden("IC121", FIELD, `the key type ${type} is not supported with fips: true`, {
        kind: "Invalid",
        hint: "use an RSA or ECDSA key",
      }),
    );
}

function warnOfNoKey(config: NormalConfig, { report }: RuleContext): void {
  if (config.sshKey === undefined) return;
  const consequence = "is empty, so you cannot log in to the nodes";
  report(
    warning("IC122", "Required", FIELD, `the key ${consequence}`, {
      hint: "use an SSH public key, or remove sshKey",
      inFile: {
        message: `the file ${consequence}`,
        hint: "add an SSH public key, or omit --ssh-key",
      },
    }),
  );
}
