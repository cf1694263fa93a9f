/** Keys of signer certificates (5.0; openshift/installer pkg/types/pki/validation.go). */
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";
import { quote } from "../../../text/quote.js";

const FIELD = "pki.signerCertificates.key";
const CURVES = ["P256", "P384", "P521"];
/** Members by algorithm: each needs its own, and excludes the other. */
const MEMBERS = { RSA: "rsa", ECDSA: "ecdsa" } as const;

export function validatePki({ pki }: NormalConfig, { release, report }: RuleContext): void {
  if (pki === undefined || !inForce(release, "pki")) return;
  const key = pki.signerCertificates?.key ?? {};
  const { algorithm = "" } = key;
  const tell = (kind: "Required" | "NotSupported" | "Forbidden" | "Invalid", member: string) => {
    return (message: string, hint: string) =>
      report({ code: "IC251", kind, field: `${FIELD}.${member}`, message, hint });
  };
  if (algorithm === "") {
    tell("Required", "algorithm")("the algorithm of the key is required", "Set it to RSA or ECDSA");
    return;
  }
  if (algorithm !== "RSA" && algorithm !== "ECDSA") {
    tell("NotSupported", "algorithm")(`unsupported algorithm ${quote(algorithm)}`, "Use RSA or ECDSA");
    return;
  }
  const own = MEMBERS[algorithm];
  const other = own === "rsa" ? "ecdsa" : "rsa";
  if (key[own] === undefined)
    tell("Required", own)(
      `${own} is required with the algorithm ${algorithm}`,
      own === "rsa" ? "Set rsa.keySize, such as 4096" : "Set ecdsa.curve, such as P384",
    );
  if (key[other] !== undefined)
    tell("Forbidden", other)(`${other} must not be set with the algorithm ${algorithm}`, `Remove ${other}`);
  const { keySize = 0 } = key.rsa ?? {};
  if (own === "rsa" && key.rsa !== undefined && (keySize < 2048 || keySize > 8192 || keySize % 1024 !== 0))
    tell("Invalid", "rsa.keySize")(
      `keySize is ${keySize}; it must be a multiple of 1024 from 2048 to 8192`,
      "Set it to 4096",
    );
  const { curve = "" } = key.ecdsa ?? {};
  if (own === "ecdsa" && key.ecdsa !== undefined && !CURVES.includes(curve))
    tell("NotSupported", "ecdsa.curve")(`unsupported curve ${quote(curve)}`, `Use ${CURVES.join(", ")}`);
}
