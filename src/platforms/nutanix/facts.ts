/**
 * Offline facts of nutanix, and where they and the install-config contradict each other (openshift/installer
 * pkg/asset/installconfig/nutanix/validation.go, pkg/asset/rhcos/image.go).
 */

import type { Problem } from "../../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { otherSystem } from "../coreos-stream.js";
import { inFacts, missingFact, type Need } from "../needs.js";
import type { FactSources, RuleContext } from "../platform.js";
import { eachOnce, FIELD, writtenAt } from "./cloud-rules.js";
import {
  failureDomain,
  type NutanixMachinePool,
  nutanixOf,
  type PlacedPool,
  poolsIn,
  prismElement,
} from "./config.js";
import { type NutanixFacts, nutanixFactsOf, sectionOf } from "./pools.js";

/** What is asked for: the field, and the name that nothing is known about. */
interface Lack {
  readonly field: string;
  readonly name: string;
}

const need = (fact: string, message: (lack: Lack) => string, instead: string): Need<Lack> => ({
  fact,
  field: ({ field }) => field,
  message,
  names: ({ name }) => [name],
  hint: () => `${instead}, or add an entry to ${inFacts(fact)}`,
});

export const NEEDS = {
  element: need(
    "nutanix.prismElements",
    ({ name }) => `the name of the Prism Element ${name} is not listed in the facts file`,
    "set its name",
  ),
  project: need(
    "nutanix.projects",
    ({ name }) => `the UUID of the project ${quote(name)} is not listed in the facts file`,
    "set type: uuid and the uuid",
  ),
  image: need(
    "nutanix.images",
    ({ name }) => `the UUID of the image ${quote(name)} is not listed in the facts file`,
    "set its uuid",
  ),
} as const;

const FREE_GPU = "UNUSED";
/** The facts, with the address of the boot image. What is wanting or contradicts goes to the context. */
export function resolveFacts(config: NormalConfig, sources: FactSources, context: RuleContext): CloudFacts {
  const facts = nutanixFactsOf(sources.facts);
  const osImage = nutanixOf(config).clusterOSImage || facts.osImage || streamImage(sources.stream)?.location;
  const problems = [
    ...elementProblems(config, facts),
    ...subnetProblems(config, facts),
    ...domainImageProblems(config, facts),
    ...poolsIn(config).flatMap((placed) => poolFacts(config, facts, placed)),
    ...preloadedProblems(config, facts, sources.stream),
    ...otherSystem({ config, release: context.release }, sources.stream, streamImage),
  ];
  eachOnce(problems).forEach(context.report);
  return {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "CloudFacts",
    nutanix: { ...facts, ...(osImage ? { osImage } : {}) },
  };
}

const contradiction = (field: string, message: string, hint: string): Problem =>
  problem("FACT002", "Invalid", field, message, hint);

function elementProblems(config: NormalConfig, facts: NutanixFacts): Problem[] {
  const nutanix = nutanixOf(config);
  const { uuid = "", name } = prismElement(nutanix);
  const known = (each: string): boolean => facts.prismElements?.some((fact) => fact.uuid === each) ?? false;
  const elements = [
    { uuid, field: `${FIELD}.prismElements[0].uuid` },
    ...(nutanix.failureDomains ?? []).map((domain, index) => ({
      uuid: domain.prismElement?.uuid ?? "",
      field: `${FIELD}.failureDomains[${index}].prismElement.uuid`,
    })),
  ];
  return [
    ...(name || known(uuid)
      ? []
      : [missingFact(NEEDS.element, { field: `${FIELD}.prismElements[0].name`, name: uuid })]),
    ...elements.flatMap((each) =>
      facts.prismElements === undefined || known(each.uuid)
        ? []
        : [
            contradiction(
              each.field,
              `Prism Element ${each.uuid} is not listed in the facts file`,
              "use the UUID of a Prism Element of Prism Central, or complete the facts",
            ),
          ],
    ),
  ];
}

function subnetProblems(config: NormalConfig, { subnets }: NutanixFacts): Problem[] {
  if (subnets === undefined) return [];
  const { subnetUUIDs = [], failureDomains = [] } = nutanixOf(config);
  const lists = [
    { uuids: subnetUUIDs, field: `${FIELD}.subnetUUIDs` },
    ...failureDomains.map((domain, index) => ({
      uuids: domain.subnetUUIDs ?? [],
      field: `${FIELD}.failureDomains[${index}].subnetUUIDs`,
    })),
  ];
  return lists.flatMap(({ uuids, field }) =>
    uuids.flatMap((uuid, index) =>
      subnets.includes(uuid)
        ? []
        : [
            contradiction(
              `${field}[${index}]`,
              `subnet ${uuid} is not listed in the facts file`,
              "use the UUID of a subnet of Prism Central, or complete the facts",
            ),
          ],
    ),
  );
}

/** Images of failure domains are there, each once, whether a data disk refers to them or not. */
function domainImageProblems(config: NormalConfig, { images }: NutanixFacts): Problem[] {
  if (images === undefined) return [];
  return (nutanixOf(config).failureDomains ?? []).flatMap(({ dataSourceImages = [] }, domain) =>
    dataSourceImages.flatMap(({ uuid, name = "" }, index) => {
      const field = `${FIELD}.failureDomains[${domain}].dataSourceImages[${index}]`;
      if (uuid) return listed(images, uuid, { what: "image", field: `${field}.uuid` });
      const found = images.filter((each) => each.name === name).length;
      return name === "" || found === 1
        ? []
        : [
            contradiction(
              `${field}.name`,
              `the facts file lists ${found === 0 ? "no image" : `${found} images`} named ${quote(name)}`,
              "use the uuid of an image of Prism Central, or complete the facts",
            ),
          ];
    }),
  );
}

function poolFacts(config: NormalConfig, facts: NutanixFacts, placed: PlacedPool): Problem[] {
  const section = sectionOf(config, placed);
  const at = writtenAt(config, placed);
  return [
    ...named(facts.projects, section.project?.type === "name" ? section.project.name : "", {
      need: NEEDS.project,
      field: `${at("project")}.name`,
    }),
    ...listed(facts.projects, section.project?.type === "uuid" ? section.project.uuid : "", {
      what: "project",
      field: `${at("project")}.uuid`,
    }),
    ...(section.categories ?? []).flatMap(({ key = "", value = "" }, index) =>
      facts.categories === undefined ||
      facts.categories.some((each) => each.key === key && each.value === value)
        ? []
        : [
            contradiction(
              `${at("categories")}[${index}]`,
              `category ${quote(key)} with the value ${quote(value)} is not listed in the facts file`,
              "create the category in Prism Central, or complete the facts",
            ),
          ],
    ),
    ...(placed.role === "master" ? [] : gpuFacts(config, section, facts, at("gpus"))),
    ...(placed.role === "master" ? [] : (section.dataDisks ?? [])).flatMap(
      ({ dataSourceImage: { referenceName, uuid, name } = {} }, index) => {
        const field = `${at("dataDisks")}[${index}].dataSourceImage`;
        if (referenceName) return [];
        return uuid
          ? listed(facts.images, uuid, { what: "image", field: `${field}.uuid` })
          : named(facts.images, name, { need: NEEDS.image, field: `${field}.name` });
      },
    ),
  ];
}

type Listed = readonly { readonly uuid: string; readonly name: string }[];

/** What is named must be known, and be one. */
function named(
  list: Listed | undefined,
  name: string | undefined,
  { need: lacking, field }: { readonly need: Need<Lack>; readonly field: string },
): Problem[] {
  if (!name) return [];
  const found = (list ?? []).filter((each) => each.name === name).length;
  if (found === 0) return [missingFact(lacking, { field, name })];
  return found === 1
    ? []
    : [
        contradiction(
          field,
          `the facts file lists ${found} named ${quote(name)}`,
          "use the uuid of one of them",
        ),
      ];
}

const listed = (
  list: Listed | undefined,
  uuid: string | undefined,
  { what, field }: { readonly what: string; readonly field: string },
): Problem[] =>
  !uuid || list === undefined || list.some((each) => each.uuid === uuid)
    ? []
    : [
        contradiction(
          field,
          `${what} ${uuid} is not listed in the facts file`,
          "use its UUID, or complete the facts",
        ),
      ];

/** Each GPU is looked for in every Prism Element that the pool has machines in. */
function gpuFacts(
  config: NormalConfig,
  { gpus = [], failureDomains = [] }: NutanixMachinePool,
  facts: NutanixFacts,
  field: string,
): Problem[] {
  if (facts.gpus === undefined) return [];
  const nutanix = nutanixOf(config);
  const domains = failureDomains.flatMap((name) => failureDomain(nutanix, name)?.prismElement?.uuid ?? []);
  const elements = domains.length > 0 ? domains : [prismElement(nutanix).uuid ?? ""];
  return gpus.flatMap((gpu, index) =>
    elements.flatMap((element) =>
      (gpu.type === "DeviceID" ? gpu.deviceID === undefined : gpu.type !== "Name" || !gpu.name) ||
      facts.gpus?.some(
        ({ prismElement: place, status = FREE_GPU, deviceID, name }) =>
          place === element &&
          status === FREE_GPU &&
          (gpu.type === "DeviceID" ? deviceID === gpu.deviceID : name === gpu.name),
      )
        ? []
        : [
            contradiction(
              `${field}[${index}]`,
              `the facts file lists no available GPU of this kind on the Prism Element ${element}`,
              "use an available GPU, or complete the facts",
            ),
          ],
    ),
  );
}

const member = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) ? value[name] : undefined;

/** The boot image of a stream: where it lies, and its version. */
function streamImage(
  stream: JsonObject | undefined,
): { readonly release: string; readonly location: string } | undefined {
  const artifact = ["architectures", "x86_64", "artifacts", "nutanix"].reduce<Json | undefined>(
    member,
    stream,
  );
  const location = ["formats", "qcow2", "disk", "location"].reduce<Json | undefined>(member, artifact);
  const release = member(artifact, "release");
  return typeof location === "string" && typeof release === "string" ? { release, location } : undefined;
}

/** A preloaded image may be one version behind that of the release, and not ahead of it. */
function preloadedProblems(
  config: NormalConfig,
  facts: NutanixFacts,
  stream: JsonObject | undefined,
): Problem[] {
  const name = nutanixOf(config).preloadedOSImageName ?? "";
  const field = `${FIELD}.preloadedOSImageName`;
  if (name === "" || facts.images === undefined) return [];
  const found = facts.images.filter((each) => each.name === name);
  const [image, ...more] = found;
  if (image === undefined || more.length > 0)
    return [
      contradiction(
        field,
        `the facts file lists ${found.length === 0 ? "no image" : `${found.length} images`} named ${quote(name)}`,
        "use one image of Prism Central, or complete the facts",
      ),
    ];
  const wanted = streamImage(stream)?.release;
  if (wanted === undefined || image.sourceURI === undefined) return [];
  const version = [...image.sourceURI.matchAll(/\/rhcos-(\d+)\./g)].at(-1)?.[1];
  if (version === undefined)
    return [
      contradiction(
        field,
        "the sourceURI of the image does not contain its version",
        "use an image that was uploaded from …/rhcos-VERSION-nutanix.x86_64.qcow2",
      ),
    ];
  const behind = Number(wanted.split(".")[0]) - Number(version);
  if (behind === 0) return [];
  const problem = contradiction(
    field,
    `the image has version ${version}, but the boot image of the release has ${wanted.split(".")[0]}`,
    "upload the image of the release",
  );
  return [behind === 1 ? { ...problem, code: "FACT007", severity: "warning" } : problem];
}
