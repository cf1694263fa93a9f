/** The Secret that the ignition phase goes on from: there, complete, and what the directory holds. */
import { equalBytes } from "../core/files.js";
import { type Problem, problem, warning } from "../core/problem.js";
import { INSTALL_CONFIG_KEY, STATE_KEY } from "../crd/openshift-control-plane.js";
import { labelsOf, MOVE_LABEL } from "../kubernetes/labels.js";
import { secretData } from "../kubernetes/secrets.js";
import {
  INFRASTRUCTURE_FOLDER,
  INSTALL_STATE_FILE,
  SECRETS_FOLDER,
} from "../phases/infrastructure-manifests/layout.js";
import { at, type Check, compileAgain, dig, isLeftAlone, type Known } from "./context.js";

const REFERENCE = ["spec", "installStateSecretRef", "name"];

export const checkInstallState: Check = (context) => {
  const { controlPlane, secrets, namespace } = context;
  const name = controlPlane === undefined ? undefined : dig(controlPlane.object, REFERENCE);
  if (controlPlane === undefined || typeof name !== "string" || name === "") return [];
  const secret = secrets.find(
    ({ identity }) =>
      identity.name === name && identity.namespace === (controlPlane.identity.namespace || namespace),
  );
  if (secret !== undefined) return [...contentProblems(secret, context), ...moveProblems(secret)];
  if (context.unreadable.size > 0) return [];
  const decided = [INFRASTRUCTURE_FOLDER, SECRETS_FOLDER]
    .map((folder) => `${folder}/${INSTALL_STATE_FILE}`)
    .find((path) => isLeftAlone(path, context));
  return [
    at(
      controlPlane,
      problem(
        "CAPI012",
        "NotFound",
        REFERENCE.join("."),
        `the Secret ${JSON.stringify(name)} is not in the folder`,
        decided === undefined
          ? `write it to ${INSTALL_STATE_FILE}: slipway create infrastructure-manifests`
          : `write it again: ${compileAgain(decided, context)}`,
      ),
    ),
  ];
};

function contentProblems(secret: Known, context: Parameters<Check>[0]): Problem[] {
  const { directory, history, wraps } = context;
  const data = secretData(secret.object);
  const missing = (key: string, severity: "error" | "warning", message: string): Problem[] =>
    data.has(key)
      ? []
      : [
          at(
            secret,
            problem("CAPI012", "Required", `data[${key}]`, message, {
              severity,
              hint: `add it: ${compileAgain(secret.file, context)}`,
            }),
          ),
        ];
  const alone = !data.has(STATE_KEY) && !data.has(INSTALL_CONFIG_KEY);
  const onDisk = directory.closed?.has(STATE_KEY) === true ? undefined : directory.files.get(STATE_KEY);
  const wrapped = data.get(STATE_KEY);
  const differs = onDisk !== undefined && wrapped !== undefined && !equalBytes(onDisk.data, wrapped);
  return [
    ...missing(
      STATE_KEY,
      "error",
      wraps.length > 0
        ? "the state is missing; without it the installer discards all wrapped manifests"
        : "the state is missing; the cluster would get another identity",
    ),
    ...missing(
      INSTALL_CONFIG_KEY,
      alone ? "error" : "warning",
      "the install-config is missing; slipway always stores it together with the state",
    ),
    ...(differs
      ? [
          at(
            secret,
            problem(
              "CAPI018",
              "Invalid",
              `data[${STATE_KEY}]`,
              `the content of the Secret differs from ${STATE_KEY} in the directory`,
              {
                severity: history(secret.file) === "edited" ? "warning" : "error",
                hint: `wrap the current state: ${compileAgain(secret.file, context)}`,
              },
            ),
          ),
        ]
      : []),
  ];
}

/** Without the label, `clusterctl move` leaves the Secret behind. */
export const moveProblems = (secret: Known): Problem[] =>
  labelsOf(secret.object).has(MOVE_LABEL)
    ? []
    : [
        at(
          secret,
          warning(
            "CAPI019",
            "Required",
            `metadata.labels[${MOVE_LABEL}]`,
            "clusterctl move would not move this Secret",
            `add the label ${MOVE_LABEL}: ""`,
          ),
        ),
      ];
