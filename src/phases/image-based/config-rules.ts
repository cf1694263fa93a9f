/**
 * Rules of the two configs by themselves (openshift/installer pkg/asset/imagebased/configimage/imagebased_config.go,
 * pkg/asset/imagebased/image/imagebased_config.go).
 */
import type { Problem } from "../../core/diagnostics.js";
import { invalid, required } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import type { ImageBasedConfig } from "../../generated/types/image-based-config.js";
import type { ImageBasedInstallationConfig } from "../../generated/types/image-based-installation-config.js";
import { isDnsSubdomain } from "../../kubernetes/names.js";
import { parseAddress } from "../../kubernetes/network.js";
import { agentFact } from "../../platforms/agent.js";
import type { RuleContext } from "../../platforms/platform.js";
import { applyDefaults } from "../install-config/defaults.js";
import { validateTrustBundle } from "../install-config/rules/certificates.js";
import { validateMirrors } from "../install-config/rules/mirrors.js";
import { validateProxy } from "../install-config/rules/proxy.js";
import { validatePullSecret } from "../install-config/rules/pull-secret.js";
import { validateSshKeys } from "../install-config/rules/ssh-keys.js";

const CODE = "IBI002";

/** Every broken rule of image-based-config.yaml. */
export const imageBasedConfigProblems = ({ additionalNTPSources = [] }: ImageBasedConfig): Problem[] =>
  additionalNTPSources.flatMap((server, index) =>
    parseAddress(server) !== undefined || isDnsSubdomain(server.replace(/\.$/, ""))
      ? []
      : [
          invalid(CODE, "AdditionalNTPSources", server, "must be an IP address or a host name", {
            at: `additionalNTPSources[${index}]`,
            hint: "use a host name such as ntp.example.com",
          }),
        ],
  );

const ARGUMENTS = ["--append-karg", "--delete-karg", "--save-partlabel", "--save-partindex"];
/** Characters of an argument's value; `+-=` is a range in the installer's expression. */
const VALUE = /^[A-Za-z0-9@!#$%*()_+-=//.,";':{}[\]]+$/;
const ARCHITECTURES = ["amd64", "arm64"];
const START = /^[+-]?\d+[KMGTP]$/;

/** Every broken rule of image-based-installation-config.yaml. */
export function installationConfigProblems(
  config: ImageBasedInstallationConfig,
  release: Release,
): readonly Problem[] {
  return [
    ...missing(config),
    ...sharedProblems(config, release),
    ...partition(config, release),
    ...argumentProblems(config),
    ...architecture(config),
  ];
}

const REQUIRED = [
  ["pullSecret", "credentials for image registries", "add it in single quotes, on one line"],
  ["seedImage", "the image of the seed cluster", "add it, such as quay.io/example/seed:4.22.0"],
  ["seedVersion", "the version of the seed cluster", "add it, such as 4.22.0"],
  ["installationDisk", "the disk to install to", "add it, such as /dev/disk/by-id/wwn-0x5000c500a0b1c2d3"],
] as const;

const missing = (config: ImageBasedInstallationConfig): readonly Problem[] =>
  REQUIRED.flatMap(([field, what, hint]) =>
    (config[field] ?? "") === "" ? [required(CODE, field, what, { below: true, hint })] : [],
  );

/** Fields that an install-config has as well, judged by the same rules. */
function sharedProblems(
  { pullSecret = "", sshKey, additionalTrustBundle, imageDigestSources, proxy }: ImageBasedInstallationConfig,
  release: Release,
): readonly Problem[] {
  const found: Problem[] = [];
  const context: RuleContext = { release, report: (problem) => found.push(problem) };
  const whole = applyDefaults(
    {
      apiVersion: "v1",
      pullSecret,
      ...(sshKey === undefined ? {} : { sshKey }),
      ...(additionalTrustBundle === undefined ? {} : { additionalTrustBundle }),
      ...(imageDigestSources === undefined ? {} : { imageDigestSources }),
      ...(proxy === undefined ? {} : { proxy }),
    },
    release,
    undefined,
  );
  // The node has no cluster yet whose networks a proxy could be in.
  const none = { clusterNetwork: [], machineNetwork: [], serviceNetwork: [] };
  const config = { ...whole, networking: { ...whole.networking, ...none } };
  if (pullSecret !== "") validatePullSecret(config, context);
  for (const validate of [validateSshKeys, validateTrustBundle, validateMirrors, validateProxy])
    validate(config, context);
  return found.filter(({ severity = "error" }) => severity === "error");
}

function partition(config: ImageBasedInstallationConfig, release: Release): readonly Problem[] {
  const { extraPartitionNumber = 0, extraPartitionStart } = config;
  if (extraPartitionNumber < 0)
    return [
      invalid(
        CODE,
        "extraPartitionNumber",
        extraPartitionNumber,
        "must not be negative",
        "use a number such as 5",
      ),
    ];
  if (extraPartitionStart === undefined || !agentFact(release, "imageBasedPartitionStart")) return [];
  const field = "ExtraPartitionStart";
  const more = { at: "extraPartitionStart", hint: "use a size such as -40G, or remove the field" };
  if (extraPartitionStart === "") return [required(CODE, field, "0 or a size", more)];
  return extraPartitionStart === "0" || START.test(extraPartitionStart)
    ? []
    : [invalid(CODE, field, extraPartitionStart, "must be 0, or a size with K, M, G, T or P", more)];
}

const argumentProblems = ({ coreosInstallerArgs = [] }: ImageBasedInstallationConfig): readonly Problem[] =>
  coreosInstallerArgs.flatMap((argument, index) => {
    const more = { kind: "Required", at: `coreosInstallerArgs[${index}]` } as const;
    if (argument.startsWith("-"))
      return ARGUMENTS.includes(argument)
        ? []
        : [
            invalid(CODE, "CoreosInstallerArgs", argument, `must be one of ${ARGUMENTS.join(", ")}`, {
              ...more,
              hint: "remove the flag and its value",
            }),
          ];
    return VALUE.test(argument)
      ? []
      : [
          invalid(CODE, "CoreosInstallerArgs", argument, "contains characters that are not supported", {
            ...more,
            hint: "use letters, digits and punctuation, without spaces",
          }),
        ];
  });

const architecture = ({ architecture: name = "" }: ImageBasedInstallationConfig): readonly Problem[] =>
  name === "" || ARCHITECTURES.includes(name)
    ? []
    : [
        invalid(CODE, "architecture", name, `must be one of ${ARCHITECTURES.join(", ")}`, {
          hint: "use amd64 or arm64",
        }),
      ];
