/** Words of the commands that the supplement of azure asks for. */
import { shell, words } from "../../../text/shell.js";
import type { PlatformInput } from "../../platform.js";
import { azureOf, resourceGroupOf } from "../config.js";
import { subscriptionOf } from "../credentials.js";
import { ownershipTag } from "../infrastructure/machine-template.js";

/** A command of `az`; every one names the subscription. */
export const az = (input: PlatformInput, command: readonly string[]): string => {
  const subscription = subscriptionOf(input);
  return shell`az ${command} ${subscription === "" ? [] : words`--subscription ${subscription}`}`;
};

export const groupOf = ({ config, identity }: PlatformInput): string =>
  resourceGroupOf(azureOf(config), identity.infraID);

/** Flags that name the cluster's resource group. */
export const inGroup = (input: PlatformInput): readonly string[] => ["--resource-group", groupOf(input)];

/** The tags of what is made for the cluster, as words. */
export function tagWords({ config, identity }: PlatformInput): readonly string[] {
  const tags = { ...azureOf(config).userTags, [ownershipTag(identity.infraID)]: "owned" };
  return Object.entries(tags).map(([name, value]) => `${name}=${value}`);
}

export const tagged = (input: PlatformInput): readonly string[] => ["--tags", ...tagWords(input)];
