/** Keys of signer certificates (5.0; openshift/installer pkg/types/pki/validation.go). */
import { forbidden, invalid, problemList, required, unsupported } from "../../../core/problem.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";

const CODE = "IC251";
const ALGORITHMS = ["RSA", "ECDSA"];
const CURVES = ["P256", "P384", "P521"];

export function validatePki({ pki }: NormalConfig, { release, report }: RuleContext): void {
  if (pki === undefined || !inForce(release, "pki")) return;
  const problems = problemList(report, "pki.signerCertificates.key");
  const { algorithm = "", rsa, ecdsa } = pki.signerCertificates?.key ?? {};
  if (algorithm === "") problems.add(required(CODE, "algorithm", "", "set it to RSA or ECDSA"));
  else if (!ALGORITHMS.includes(algorithm))
    problems.add(unsupported(CODE, "algorithm", algorithm, ALGORITHMS));
  const isRsa = algorithm === "RSA";
  const only = (member: string): string => `only ${member} can be set with the algorithm ${algorithm}`;
  const rsaProblems = problems.when(isRsa);
  if (rsa === undefined) rsaProblems.add(required(CODE, "rsa", "", "set rsa.keySize, such as 4096"));
  if (ecdsa !== undefined) rsaProblems.add(forbidden(CODE, "ecdsa", only("rsa"), "remove ecdsa"));
  const { keySize = 0 } = rsa ?? {};
  if (rsa !== undefined && (keySize < 2048 || keySize > 8192 || keySize % 1024 !== 0))
    rsaProblems.add(invalid(CODE, "rsa.keySize", keySize, "must be a multiple of 1024 from 2048 to 8192"));
  const ecdsaProblems = problems.when(algorithm === "ECDSA");
  if (ecdsa === undefined) ecdsaProblems.add(required(CODE, "ecdsa", "", "set ecdsa.curve, such as P384"));
  if (rsa !== undefined) ecdsaProblems.add(forbidden(CODE, "rsa", only("ecdsa"), "remove rsa"));
  const { curve = "" } = ecdsa ?? {};
  if (ecdsa !== undefined && !CURVES.includes(curve))
    ecdsaProblems.add(unsupported(CODE, "ecdsa.curve", curve, CURVES));
}
