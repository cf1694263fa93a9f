/**
 * Fields of provider kinds without which the API server refuses the object (`required` of the definitions that
 * docs/reference/cluster-api.md §4.1 names, defaults left out). Our own schema of what we emit asks for more; that is
 * no fault in a file that somebody edited. List indices are left out of the paths.
 */
export const REQUIRED_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "AWSCluster",
    new Set([
      "spec.controlPlaneLoadBalancer.additionalListeners.port",
      "spec.identityRef.kind",
      "spec.identityRef.name",
      "spec.network.cni.cniIngressRules.description",
      "spec.network.cni.cniIngressRules.protocol",
      "spec.network.cni.cniIngressRules.fromPort",
      "spec.network.cni.cniIngressRules.toPort",
      "spec.network.subnets.id",
      "spec.region",
      "spec.s3Bucket.name",
    ]),
  ],
  [
    "AWSMachineTemplate",
    new Set([
      "spec.template",
      "spec.template.spec",
      "spec.template.spec.instanceType",
      "spec.template.spec.rootVolume.size",
    ]),
  ],
  ["AWSClusterControllerIdentity", new Set()],
  [
    "IBMVPCCluster",
    new Set([
      "spec.image.resourceGroup.id",
      "spec.network.loadBalancers.additionalListeners.port",
      "spec.network.loadBalancers.backendPools.algorithm",
      "spec.network.loadBalancers.backendPools.healthMonitor",
      "spec.network.loadBalancers.backendPools.protocol",
      "spec.network.resourceGroup.id",
      "spec.network.securityGroups.rules.action",
      "spec.network.securityGroups.rules.direction",
      "spec.region",
      "spec.resourceGroup",
    ]),
  ],
  [
    "IBMVPCMachineTemplate",
    new Set([
      "spec.template",
      "spec.template.spec",
      "spec.template.spec.image",
      "spec.template.spec.loadBalancerPoolMembers.loadBalancer",
      "spec.template.spec.loadBalancerPoolMembers.pool",
      "spec.template.spec.loadBalancerPoolMembers.port",
      "spec.template.spec.zone",
    ]),
  ],
  ["AWSClusterStaticIdentity", new Set(["spec.secretRef"])],
  ["VSphereCluster", new Set(["spec.identityRef.kind", "spec.identityRef.name"])],
  ["VSphereClusterIdentity", new Set()],
  [
    "VSphereFailureDomain",
    new Set([
      ...["region", "zone"].flatMap((place) => [
        `spec.${place}`,
        ...["name", "tagCategory", "type"].map((member) => `spec.${place}.${member}`),
      ]),
      "spec.topology",
      "spec.topology.datacenter",
      "spec.topology.hosts.hostGroupName",
      "spec.topology.hosts.vmGroupName",
    ]),
  ],
  ["Metal3Cluster", new Set()],
  [
    "Metal3MachineTemplate",
    new Set([
      "spec",
      "spec.template",
      "spec.template.spec",
      "spec.template.spec.customDeploy.method",
      "spec.template.spec.image.checksum",
      "spec.template.spec.image.url",
    ]),
  ],
  [
    "Metal3DataTemplate",
    new Set(["spec.clusterName", "spec.metaData.objectNames.key", "spec.metaData.objectNames.object"]),
  ],
  [
    "OpenshiftAssistedControlPlane",
    new Set([
      "spec.config.baseDomain",
      "spec.config.manifestsConfigMapRefs.name",
      "spec.distributionVersion",
      "spec.machineTemplate",
      "spec.machineTemplate.infrastructureRef",
      ...["apiGroup", "kind", "name"].map((member) => `spec.machineTemplate.infrastructureRef.${member}`),
    ]),
  ],
  ["OpenshiftAssistedConfigTemplate", new Set(["spec.template"])],
  ["VSphereDeploymentZone", new Set(["spec.placementConstraint"])],
  [
    "VSphereMachineTemplate",
    new Set([
      "spec.template",
      "spec.template.spec",
      "spec.template.spec.dataDisks.name",
      "spec.template.spec.dataDisks.sizeGiB",
      "spec.template.spec.network",
      "spec.template.spec.network.devices",
      "spec.template.spec.network.devices.networkName",
      "spec.template.spec.template",
    ]),
  ],
]);

/** Kinds that are in no namespace, beside those that a definition says so of (`--crds`). */
export const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  "Namespace",
  "CustomResourceDefinition",
  "ClusterRole",
  "ClusterRoleBinding",
  "AWSClusterControllerIdentity",
  "AWSClusterRoleIdentity",
  "AWSClusterStaticIdentity",
  "VSphereClusterIdentity",
  "VSphereDeploymentZone",
  "VSphereFailureDomain",
]);

/** Groups whose other kinds are all in a namespace. */
export const NAMESPACED_GROUPS: ReadonlySet<string> = new Set([
  "cluster.x-k8s.io",
  "cluster.openshift.io",
  "infrastructure.cluster.x-k8s.io",
]);
