/** Roles, instance profiles, images and tags that the installer makes by hand before anything else. */

import { rowsAt, type Span } from "../../../core/by-release.js";
import type { JsonObject } from "../../../core/json.js";
import type { Release } from "../../../core/release.js";
import { shell } from "../../../text/shell.js";
import type { PlatformInput } from "../../platform.js";
import type { SupplementItem } from "../../supplement.js";
import { awsOf, existingSubnets } from "../config.js";
import policies from "../data/iam-policies.json" with { type: "json" };
import { awsFactsOf, bootImage } from "../facts/view.js";
import type { Pool } from "../machines/pools.js";
import { copiedImage, instanceProfile, ownershipTag, tagsOf } from "../names.js";
import { partitionOf } from "../tables.js";

const tagWords = (tags: readonly { readonly name: string; readonly value: string }[]): string[] =>
  tags.map(({ name, value }) => `Key=${name},Value=${value}`);

const document = (statement: JsonObject): string =>
  JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", ...statement }] });

function actionsOf(node: "master" | "worker", release: Release): string[] {
  const rows: readonly ({ readonly action: string } & Span)[] = policies[node];
  return rowsAt(rows, release).map(({ action }) => action);
}

/** Roles and profiles of the control plane and of the first compute pool, as far as the user brings none. */
export function iam(
  input: PlatformInput,
  controlPlane: Pool,
  compute: Pool | undefined,
): readonly SupplementItem[] {
  return [
    ...roleItems(input, "master", controlPlane),
    ...(compute === undefined ? [] : roleItems(input, "worker", compute)),
  ];
}

function roleItems(input: PlatformInput, node: "master" | "worker", pool: Pool): SupplementItem[] {
  if (pool.iamProfile !== undefined) return [];
  const { infraID } = input.identity;
  const aws = awsOf(input.config);
  const own = pool.iamRole === undefined;
  const role = pool.iamRole ?? `${infraID}-${node}-role`;
  const profile = instanceProfile(infraID, node);
  const tags = ["--tags", ...tagWords(tagsOf(infraID, aws.userTags))];
  const trust = document({
    Principal: { Service: partitionOf(aws.region).ec2Principal },
    Action: "sts:AssumeRole",
  });
  const policy = document({ Action: actionsOf(node, input.release), Resource: "*" });
  return [
    {
      area: "iam",
      when: "before",
      what: own
        ? `Create the role ${role} and the instance profile ${profile} that contains it.`
        : `Create the instance profile ${profile} with the role ${role}.`,
      why: "The provider does not create roles or instance profiles; machines only refer to them.",
      details: {
        role,
        profile,
        commands: [
          ...(own
            ? [
                shell`aws iam create-role --role-name ${role} --assume-role-policy-document ${trust}
                  ${tags}`,
                shell`aws iam put-role-policy --role-name ${role}
                  --policy-name ${infraID}-${node}-policy --policy-document ${policy}`,
              ]
            : []),
          shell`aws iam create-instance-profile --instance-profile-name ${profile} ${tags}`,
          shell`aws iam add-role-to-instance-profile --instance-profile-name ${profile}
            --role-name ${role}`,
        ],
      },
    },
  ];
}

/** The copy of the boot image, where the release has none in the region. */
export function image(input: PlatformInput, controlPlane: Pool, compute: readonly Pool[]): SupplementItem[] {
  const { config } = input;
  const architectures = new Set([
    ...(controlPlane.amiID === undefined ? [config.controlPlane.architecture] : []),
    ...(compute.some(({ amiID }) => amiID === undefined)
      ? [(config.compute[0] ?? config.controlPlane).architecture]
      : []),
  ]);
  return [...architectures].flatMap((architecture) => copyItem(input, architecture));
}

function copyItem(input: PlatformInput, architecture: string): SupplementItem[] {
  const { infraID } = input.identity;
  const { region, userTags } = awsOf(input.config);
  const found = bootImage(awsFactsOf(input.facts), region, architecture);
  if (found?.copyFrom === undefined) return [];
  const tags = [
    { name: "Name", value: copiedImage(infraID, region) },
    { name: "sourceAMI", value: found.id },
    { name: "sourceRegion", value: found.copyFrom },
    ...tagsOf(infraID, userTags),
  ];
  return [
    {
      area: "image",
      when: "before",
      what: `Copy the boot image ${found.id} from ${found.copyFrom} to ${region}, and set the ID of the copy in 50_machine-template.yaml.`,
      why: "The release has no image in the region, and the provider does not copy images. Machine API objects find the copy by its Name tag.",
      details: {
        architecture,
        commands: [
          shell`aws ec2 copy-image --region ${region} --source-region ${found.copyFrom}
            --source-image-id ${found.id} --name ${infraID}-master --encrypted`,
          shell`aws ec2 create-tags --region ${region} --resources IMAGE-ID-OF-THE-COPY
            --tags ${tagWords(tags)}`,
        ],
      },
    },
  ];
}

/** Things of the user's own get a tag, so that nobody takes them for the cluster's when it is destroyed. */
export function sharedTags(input: PlatformInput, pools: readonly Pool[]): SupplementItem[] {
  const aws = awsOf(input.config);
  const key = ownershipTag(input.identity.infraID);
  const tag = `Key=${key},Value=shared`;
  const of = (values: readonly (string | undefined)[]): string[] => [
    ...new Set(values.flatMap((value) => (value === undefined || value === "" ? [] : [value]))),
  ];
  const subnets = existingSubnets(aws).map(({ id }) => id);
  const resources = [...subnets, ...of(pools.flatMap(({ zones }) => zones.map(({ hostID }) => hostID)))];
  const zone = subnets.length > 0 ? (aws.hostedZone ?? "") : "";
  const commands = [
    ...(resources.length > 0
      ? [shell`aws ec2 create-tags --region ${aws.region} --resources ${resources} --tags ${tag}`]
      : []),
    ...(zone === ""
      ? []
      : [
          shell`aws route53 change-tags-for-resource --resource-type hostedzone --resource-id ${zone}
            --add-tags ${tag}`,
        ]),
    ...of(pools.map(({ iamRole }) => iamRole)).map(
      (role) => shell`aws iam tag-role --role-name ${role} --tags ${tag}`,
    ),
    ...of(pools.map(({ iamProfile }) => iamProfile)).map(
      (profile) => shell`aws iam tag-instance-profile --instance-profile-name ${profile} --tags ${tag}`,
    ),
  ];
  if (commands.length === 0) return [];
  return [
    {
      area: "tags",
      when: "before",
      what: `Add the tag ${key}: shared to the existing resources.`,
      why: "The installer adds the tag itself. It keeps these resources when the cluster is destroyed.",
      details: { commands },
    },
  ];
}
