/**
 * Facts about bare metal: what the installer looks up in DNS while it reads the config, and what it asks libvirt and the
 * hosts' management for before it makes a cluster (openshift/installer pkg/types/baremetal/defaults/platform.go and
 * pkg/types/baremetal/validation/libvirt.go).
 */

import { warning } from "../../core/problem.js";
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { inFacts } from "../needs.js";
import type { FactSources, RuleContext } from "../platform.js";
import { baremetalOf, FIELD, isDisabled } from "./config.js";

export type BaremetalFacts = NonNullable<CloudFacts["baremetal"]>;

export const NEEDS = [
  { fact: "baremetal.apiVIP" },
  { fact: "baremetal.ingressVIP" },
  { fact: "baremetal.bridges" },
  { fact: "baremetal.image" },
];

export const baremetalFactsOf = (facts: CloudFacts): BaremetalFacts => facts.baremetal ?? {};

/** The facts as given. Virtual IPs are in the config by now; bridges that libvirt does not know are told. */
export function resolveFacts(
  config: NormalConfig,
  { facts }: FactSources,
  { report }: RuleContext,
): CloudFacts {
  const given = facts?.baremetal;
  const baremetal = baremetalOf(config);
  const { bridges } = given ?? {};
  const asked = [
    "externalBridge" as const,
    ...(isDisabled(baremetal) ? [] : ["provisioningBridge" as const]),
  ];
  for (const name of bridges === undefined ? [] : asked) {
    const bridge = baremetal[name] ?? "";
    if (bridges?.includes(bridge) !== true)
      report(
        warning(
          "FACT002",
          "Invalid",
          `${FIELD}.${name}`,
          `openshift-install create cluster would reject this: the provisioning host has no bridge ${quote(bridge)}`,
          `create the bridge, use one of ${bridges?.join(", ")}, or correct ${inFacts("baremetal.bridges")}`,
        ),
      );
  }
  return {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "CloudFacts",
    ...(given === undefined ? {} : { baremetal: given }),
  };
}
