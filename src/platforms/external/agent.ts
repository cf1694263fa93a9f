/** Platform external in an agent-based installation. */
import { invalid } from "../../core/problem.js";
import { agentFact, type PlatformAgent } from "../agent.js";
import type { NormalConfig } from "../config.js";

/** Oracle Cloud, whose nodes cannot do without a cloud controller manager. */
const OCI = "oci";
const EXTERNAL = "External";

const sectionOf = ({ platform }: NormalConfig) => platform.external ?? {};

export const agent: PlatformAgent = {
  validate(config, { release, report }) {
    const { platformName, cloudControllerManager = "" } = sectionOf(config);
    if (platformName !== OCI || cloudControllerManager === EXTERNAL) return;
    const at = "platform.external.cloudControllerManager";
    report(
      invalid(
        "AGT010",
        agentFact(release, "fieldsInLowerCase") ? at : "Platform.External.CloudControllerManager",
        cloudControllerManager,
        `must be ${EXTERNAL} for the platform name ${OCI}`,
        { at, below: true, hint: `set cloudControllerManager: ${EXTERNAL}` },
      ),
    );
  },
  spec(config) {
    const { platformName = "" } = sectionOf(config);
    return {
      external: {
        ...(platformName === "" ? {} : { platformName }),
        ...(platformName === OCI ? { cloudControllerManager: EXTERNAL } : {}),
      },
    };
  },
  override(input) {
    const { platformName = "", cloudControllerManager = "" } = sectionOf(input.config);
    return {
      ...(platformName === "" ? {} : { platformName }),
      ...(cloudControllerManager === "" ? {} : { cloudControllerManager }),
    };
  },
};
