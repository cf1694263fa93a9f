/**
 * Rules of the provider's webhooks for kinds of IBM Cloud VPC, which no definition holds (cluster-api-provider-ibmcloud
 * v0.14.0, internal/webhooks/vpc). Pure over objects as they would be applied.
 */
import { isList, isObject, type Json, type JsonObject, textAt } from "../../../core/json.js";
import type { Found } from "../../../core/problem.js";
import { broken } from "../../provider-problems.js";

const LEAST_BOOT_VOLUME = 10;
const MOST_BOOT_VOLUME = 250;
const CUSTOM = "custom";

const CRN =
  /^crn:v[0-9]+:[a-z0-9-]+:[a-z0-9-]+:[a-z0-9-]+:[a-z0-9-]*:([a-z]\/[a-z0-9-]+)?:[a-z0-9-]*:[a-z0-9-]*:[a-zA-Z0-9-_./]*$/;

/** True for what the provider takes for a CRN. */
export const isProviderCrn = (text: string): boolean => CRN.test(text);

/** What the webhooks would refuse of an object; nothing for other kinds. */
export function webhookFindings(object: JsonObject): Found[] {
  if (!/^infrastructure\.cluster\.x-k8s\.io\//.test(textAt(object, "apiVersion"))) return [];
  const spec = mapAt(object, "spec");
  switch (textAt(object, "kind")) {
    case "IBMVPCCluster":
      return clusterFindings(spec);
    case "IBMVPCMachineTemplate":
      return machineFindings(mapAt(mapAt(spec, "template"), "spec"), "spec.template.spec");
    case "IBMVPCMachine":
      return machineFindings(spec, "spec");
    default:
      return [];
  }
}

const mapAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isObject(value) ? value : {};
};

const clusterFindings = (spec: JsonObject): Found[] =>
  textAt(mapAt(spec, "controlPlaneEndpoint"), "host") === "" && !isObject(spec["controlPlaneLoadBalancer"])
    ? [
        broken(
          "spec.controlPlaneEndpoint.host",
          "required value is missing: the control plane endpoint or load balancer",
          "set the host, such as api.CLUSTER.DOMAIN",
        ),
      ]
    : [];

function machineFindings(spec: JsonObject, field: string): Found[] {
  const { additionalVolumes, bootVolume } = spec;
  const further = (isList(additionalVolumes) ? additionalVolumes : []).flatMap((volume, i) =>
    isObject(volume) ? furtherVolumeFindings(volume, `${field}.additionalVolumes[${i}]`) : [],
  );
  return [...further, ...(isObject(bootVolume) ? bootVolumeFindings(bootVolume, `${field}.bootVolume`) : [])];
}

const numberAt = (value: Json | undefined): number => (typeof value === "number" ? value : 0);

function bootVolumeFindings(volume: JsonObject, field: string): Found[] {
  const size = numberAt(volume["sizeGiB"]);
  return [
    ...(size < LEAST_BOOT_VOLUME || size > MOST_BOOT_VOLUME
      ? [
          broken(
            `${field}.sizeGiB`,
            `invalid value ${size}: must be from ${LEAST_BOOT_VOLUME} to ${MOST_BOOT_VOLUME} GiB`,
            "use 100",
          ),
        ]
      : []),
    ...commonFindings(volume, field),
  ];
}

const furtherVolumeFindings = (volume: JsonObject, field: string): Found[] => [
  ...(numberAt(volume["sizeGiB"]) === 0
    ? [broken(`${field}.sizeGiB`, "required value is missing", "set the size in GiB")]
    : []),
  ...(volume["profile"] === CUSTOM && numberAt(volume["iops"]) === 0
    ? [
        broken(
          `${field}.iops`,
          "required value is missing: the profile custom requires it",
          "add iops, such as 3000",
        ),
      ]
    : []),
  ...commonFindings(volume, field),
];

function commonFindings(volume: JsonObject, field: string): Found[] {
  const key = textAt(volume, "encryptionKeyCRN");
  return [
    ...(numberAt(volume["iops"]) !== 0 && volume["profile"] !== CUSTOM
      ? [broken(`${field}.iops`, "supported only with the profile custom", "remove iops")]
      : []),
    ...(key === "" || isProviderCrn(key)
      ? []
      : [
          broken(
            `${field}.encryptionKeyCRN`,
            "must be a CRN",
            "to list the CRNs, run: ibmcloud kp keys --output json",
          ),
        ]),
  ];
}
