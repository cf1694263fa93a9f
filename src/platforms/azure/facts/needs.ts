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
  hint: hint ?? (() => `add ${inFacts(fact)}`),
});

const credentialsOr = (fact: string) => (): string =>
  `name the credentials (--credentials FILE), or give ${inFacts(fact)}`;

export const NEEDS = {
  subscription: need(
    "azure.subscriptionID",
    () => "the subscription of the cluster is not known",
    credentialsOr("azure.subscriptionID"),
  ),
  tenant: need(
    "azure.tenantID",
    () => "the tenant of the subscription is not known",
    credentialsOr("azure.tenantID"),
  ),
  "no-type": need(
    "azure.instanceTypes",
    ({ name }) =>
      `nothing is known about the machine type ${name}: the zones that offer it, its generations, its networking`,
    () => `give an entry of ${inFacts("azure.instanceTypes")}`,
  ),
  "no-generation": need(
    "azure.instanceTypes",
    ({ name }) => `the entry of the machine type ${name} has no capability HyperVGenerations`,
    () => `give all capabilities that az vm list-skus prints in ${inFacts("azure.instanceTypes")}`,
  ),
  "no-image": need(
    "azure.images",
    ({ name, streamed }) =>
      `the release's boot image for ${name} is not known${streamed ? ": the stream file has none" : ""}`,
    ({ streamed }) =>
      `give ${streamed ? "another --coreos-stream" : "--coreos-stream FILE"} or ${inFacts("azure.images")}, or set osImage of the pool`,
  ),
  "no-zones-of-gateways": need(
    "azure.natGatewayZones",
    () => "the zones of the region that have NAT gateways are not known",
    () => `give ${inFacts("azure.natGatewayZones")}, or choose another outboundType`,
  ),
  network: need(
    "azure.virtualNetwork",
    ({ name }) => `nothing is known about the virtual network ${name}: its identifier and its address blocks`,
  ),
  subnet: need(
    "azure.virtualNetwork",
    ({ name }) => `nothing is known about the subnet ${name}`,
    () => `give an entry of ${inFacts("azure.virtualNetwork.subnets")}`,
  ),
  stack: need(
    "azure.stackEndpoints",
    () => "what the Azure Stack Hub says of itself is not known",
    () =>
      `give the answer of armEndpoint/metadata/endpoints?api-version=1.0 as ${inFacts("azure.stackEndpoints")}`,
  ),
} as const;
