/** The facts that a config of azure may need; docs/facts.md has the same rows. */
import { inFacts, type Need } from "../../needs.js";

/** What is at hand where a fact is missing. */
export interface Lack {
  /** The field that the fact is needed for. */
  readonly path: string;
  /** What nothing is known about. */
  readonly name: string;
  /** True where a stream file was given already. */
  readonly streamed: boolean;
}

const need = (fact: string, message: Need<Lack>["message"], hint?: Need<Lack>["hint"]): Need<Lack> => ({
  fact,
  field: ({ path }) => path,
  message,
  names: ({ name }) => [name],
  hint: hint ?? (() => `add ${inFacts(fact)}`),
});

const credentialsOr = (fact: string) => (): string => `set --credentials FILE, or add ${inFacts(fact)}`;

export const NEEDS = {
  subscription: need(
    "azure.subscriptionID",
    () => "the subscription is not listed in the facts file",
    credentialsOr("azure.subscriptionID"),
  ),
  tenant: need(
    "azure.tenantID",
    () => "the tenant is not listed in the facts file",
    credentialsOr("azure.tenantID"),
  ),
  "no-type": need(
    "azure.instanceTypes",
    ({ name }) => `the VM size ${name} is not listed in the facts file`,
    () => `add an entry to ${inFacts("azure.instanceTypes")}`,
  ),
  "no-generation": need(
    "azure.instanceTypes",
    ({ name }) => `the entry of the VM size ${name} has no capability HyperVGenerations`,
    () => `add all capabilities that az vm list-skus prints to ${inFacts("azure.instanceTypes")}`,
  ),
  "no-image": need(
    "azure.images",
    ({ name, streamed }) =>
      `the boot image for ${name} is not listed in the ${streamed ? "stream file" : "facts file"}`,
    ({ streamed }) =>
      `use ${streamed ? "another --coreos-stream" : "--coreos-stream FILE"}, add ${inFacts("azure.images")}, or set osImage of the pool`,
  ),
  "no-zones-of-gateways": need(
    "azure.natGatewayZones",
    () => "the zones with NAT gateways are not listed in the facts file",
    () => `add ${inFacts("azure.natGatewayZones")}, or use another outboundType`,
  ),
  network: need(
    "azure.virtualNetwork",
    ({ name }) => `the virtual network ${name} is not listed in the facts file`,
  ),
  subnet: need(
    "azure.virtualNetwork",
    ({ name }) => `the subnet ${name} is not listed in the facts file`,
    () => `add an entry to ${inFacts("azure.virtualNetwork.subnets")}`,
  ),
  stack: need(
    "azure.stackEndpoints",
    () => "the endpoints of the Azure Stack Hub are not listed in the facts file",
    () =>
      `add the response of armEndpoint/metadata/endpoints?api-version=1.0 as ${inFacts("azure.stackEndpoints")}`,
  ),
} as const;
