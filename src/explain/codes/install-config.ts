/** install-config: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const INSTALL_CONFIG: Remedies<"IC"> = {
  IC001: {
    remedy: "Specify the file that begins with apiVersion: v1 and has metadata, baseDomain and platform.",
  },
  IC002: {
    remedy: "Put the real value in its place.",
    why: "A value such as CLUSTER_NAME or <your-token> in an install-config usually comes from a template that was not filled in.",
    example: `baseDomain: <your-domain>    # wrong
baseDomain: example.com      # right`,
  },
  IC003: {
    remedy: "Remove the shell lines and save only the YAML.",
    why: 'Documentation often shows an install-config inside "cat <<EOF". Only the lines between the markers belong to the file.',
    example: `cat <<EOF > install-config.yaml    # remove
apiVersion: v1
EOF                                # remove`,
  },
  IC004: {
    remedy: "Put the JSON in single quotes, or use --pull-secret FILE.",
  },
  IC005: {
    remedy: 'Keep the value on one line, or use a block: "|" with the text indented below.',
    why: "YAML folds the lines of a quoted or plain value into one, with spaces in between. Keys, certificates and tokens break.",
    example: `sshKey: |
  ssh-ed25519 AAAAC3NzaC1lZDI1NTE5… admin@example.com`,
  },
  IC006: {
    remedy: "Rename the file to install-config.yaml.",
    why: "The installer reads only a file with exactly this name.",
    example: "mv cluster/install-config.yml cluster/install-config.yaml",
  },
  IC007: {
    remedy: "Indent all top-level keys the same way, and keep one document.",
    why: 'A key that is indented less than the first one, or a line "...", ends the document. Everything after it would be ignored.',
    example: `apiVersion: v1
baseDomain: example.com`,
  },
  IC008: {
    remedy: "Set an empty object: {}.",
  },
  IC010: {
    remedy: "Remove the field, or use the spelling shown.",
    why: "The installer rejects fields that it does not know, so that a misspelled field cannot be ignored silently. --lenient reports them as warnings.",
    example: `metadata:
  nmae: heron     # wrong
  name: heron     # right`,
  },
  IC011: {
    remedy: "Remove the field, or use the --release that the message shows.",
  },
  IC012: {
    remedy: "Use the spelling shown.",
    why: "Field names are read as Go reads them, in upper or lower case alike. Other tools may require the exact spelling.",
    example: `hosts:
- BMC: {}     # read as bmc
- bmc: {}     # right`,
  },
  IC013: {
    remedy: "Use a value of the expected type.",
    why: "The message shows the type that was found and the expected type. Quoted numbers are strings; unquoted yes and no are booleans.",
    example: `controlPlane:
  replicas: "3"    # wrong: a string
  replicas: 3      # right`,
  },
  IC014: {
    remedy: "Edit it, move it away, or choose another directory with --dir.",
  },
  IC101: {
    remedy: "Set apiVersion: v1.",
    why: "The apiVersion tells the installer how to read all other fields.",
    example: "apiVersion: v1",
  },
  IC102: {
    remedy: "Use the replacement that the message shows.",
    why: "Deprecated fields still work, but the installer may remove them in a later release. slipway converts them the same way that the installer does.",
    example: `platform:
  baremetal:
    apiVIP: 192.168.1.5         # deprecated
    apiVIPs: [192.168.1.5]      # replacement`,
  },
  IC103: {
    remedy: "Remove the deprecated field.",
    why: "The installer rejects conflicting values because it cannot know which one you meant.",
    example: `platform:
  baremetal:
    apiVIP: 192.168.1.5         # remove
    apiVIPs: [192.168.1.6]`,
  },
  IC110: {
    remedy: "Use at most 63 lowercase letters, digits and hyphens (fewer on some platforms).",
    why: "The name becomes a part of DNS names (api.NAME.DOMAIN) and of cloud resource names, so it must be a valid DNS label.",
    example: `metadata:
  name: Heron_1     # wrong
  name: heron-1     # right`,
  },
  IC111: {
    remedy: "Set baseDomain to a DNS domain such as example.com, and keep NAME.DOMAIN within 253 characters.",
    why: "The cluster's API and ingress names are built from metadata.name and baseDomain. A URL, a trailing dot or an underscore makes them invalid.",
    example: `baseDomain: https://example.com    # wrong
baseDomain: example.com            # right`,
  },
  IC120: {
    remedy: "Use the content of the .pub file, one key per line.",
    why: "sshKey must contain the key itself. The path of a file, or a private key, is rejected.",
    example: `sshKey: ~/.ssh/id_ed25519.pub                  # wrong
sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5… me   # right`,
  },
  IC121: {
    remedy: "Use an RSA or ECDSA key.",
  },
  IC122: {
    remedy: "Put every key on its own line, beginning with its type.",
    why: "sshd ignores a line that does not begin with a key type or valid options. Without a usable key you cannot log in to a node that fails to join.",
    example: `sshKey: |
  ssh-ed25519 AAAAC3NzaC1lZDI1NTE5… admin@example.com`,
  },
  IC123: {
    remedy: "Add --ssh-key FILE, or set sshKey in install-config.yaml.",
    why: "Without an SSH key you cannot log in to nodes in order to troubleshoot a failed installation.",
    example: "slipway create manifests --dir cluster --ssh-key ~/.ssh/id_ed25519.pub",
  },
  IC124: {
    remedy:
      "Run openshift-install-fips on a host in FIPS mode, and pass keys from a validated module with --keys.",
    why: "The installer rejects fips: true unless its FIPS-capable binary runs on a Linux host in FIPS mode. slipway runs anywhere, but generates keys with Node.js, which is not a validated cryptographic module.",
    example: "slipway create ignition-configs --dir DIR --keys pool.keys",
  },
  IC130: {
    remedy: "Use PEM blocks with BEGIN CERTIFICATE and END CERTIFICATE.",
    why: "Every node installs the bundle as a whole. One unreadable block makes the bundle unusable.",
    example: `additionalTrustBundle: |
  -----BEGIN CERTIFICATE-----
  MIIC…
  -----END CERTIFICATE-----`,
  },
  IC131: {
    remedy: "Set additionalTrustBundlePolicy to Always or Proxyonly.",
  },
  IC132: {
    remedy: "Set additionalTrustBundlePolicy: Always unless only the nodes need the certificates.",
  },
  IC133: {
    remedy: "Add additionalTrustBundle, or remove the policy.",
    why: "The policy specifies where the certificates in additionalTrustBundle are trusted, and there are none.",
    example: "additionalTrustBundlePolicy: Always    # remove, or add additionalTrustBundle",
  },
  IC134: {
    remedy: "Replace it with a valid certificate of the signing CA.",
    why: "A server certificate in the bundle does not make clients trust that server's CA, and an expired CA is trusted by no client. The mirror registry or proxy then fails TLS verification.",
    example: "openssl x509 -in ca.pem -noout -subject -dates -ext basicConstraints",
  },
  IC140: {
    remedy:
      "Use the JSON text from your registry or from console.redhat.com, with at least one entry in auths.",
    why: "Every node pulls its images with this secret. The installer rejects a secret that is not a JSON object with auths.",
    example: 'pullSecret: \'{"auths": {"registry.example.com": {"auth": "dXNlcjpwYXNz"}}}\'',
  },
  IC141: {
    remedy: "Set auth to the base64 encoding of USER:PASSWORD.",
    why: "The container runtime cannot log in to that registry, so pulls from it fail.",
    example: "printf 'USER:PASSWORD' | base64 --wrap 0",
  },
  IC142: {
    remedy: "Add an entry for the mirror to auths unless the mirror allows anonymous pulls.",
  },
  IC150: {
    remedy: "Set networking.networkType: OVNKubernetes, or remove the field.",
    why: "OpenShiftSDN was removed in OpenShift 4.15. Names of third-party plugins are accepted.",
    example: `networking:
  networkType: OVNKubernetes`,
  },
  IC151: {
    remedy: "Use a network address with its prefix length, such as 10.128.0.0/14.",
    why: "A CIDR with host bits set, such as 10.0.0.1/16, is not a network. A service network is limited in size because the API server allocates its addresses in memory.",
    example: `networking:
  serviceNetwork: [172.30.0.1/16]    # wrong
  serviceNetwork: [172.30.0.0/16]    # right`,
  },
  IC152: {
    remedy: "Use a separate CIDR for each network.",
    why: "With overlapping machine, cluster and service networks, pods cannot tell a node from a Service and lose traffic.",
    example: `networking:
  clusterNetwork:
  - {cidr: 10.128.0.0/14, hostPrefix: 23}
  machineNetwork:
  - {cidr: 10.0.0.0/16}
  serviceNetwork: [172.30.0.0/16]`,
  },
  IC153: {
    remedy: "Use another CIDR, or change the reserved range in networking.ovnKubernetesConfig.",
  },
  IC154: {
    remedy: "Use a hostPrefix between the prefix length of the CIDR and 32, such as 23; use 64 for IPv6.",
    why: "Each node gets one subnet of this size from the cluster network. A subnet larger than the network does not fit into it.",
    example: `clusterNetwork:
- cidr: 10.128.0.0/14
  hostPrefix: 23      # 512 addresses per node`,
  },
  IC155: {
    remedy: "Use IPv4, IPv6, or both with the same order in all networks, as the platform supports.",
    why: "Dual-stack clusters use the first family as the primary one. The order must be the same for machine, cluster and service networks.",
    example: `networking:
  clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 23}, {cidr: "fd01::/48", hostPrefix: 64}]
  serviceNetwork: [172.30.0.0/16, "fd02::/112"]`,
  },
  IC156: {
    remedy: "Use a value in the reported range, or remove clusterNetworkMTU.",
    why: "The overlay of OVN-Kubernetes needs 100 bytes of each packet, so the cluster network MTU must be smaller than that of the machines.",
    example: `networking:
  clusterNetworkMTU: 1400`,
  },
  IC157: {
    remedy: "Use a join subnet that overlaps no other network and is large enough for all nodes.",
  },
  IC158: {
    remedy: "Add cidr, or remove the entry.",
    why: "The network operator rejects a network without a CIDR.",
    example: `networking:
  machineNetwork:
  - cidr: 10.0.0.0/16`,
  },
  IC159: {
    remedy: "Use another CIDR if any machine that needs the cluster runs Docker.",
  },
  IC160: {
    remedy: "Use a larger CIDR or a longer hostPrefix; neither can be changed after installation.",
  },
  IC161: {
    remedy: "Use a larger networking.ovnKubernetesConfig.ipv4.internalJoinSubnet.",
  },
  IC162: {
    remedy: "Use a shorter hostPrefix such as 23.",
  },
  IC166: {
    remedy: "Use the reported maximum unless all your edge zones support more.",
  },
  IC170: {
    remedy: "Set one section below platform, such as platform: {none: {}}.",
    why: "The platform decides which cloud objects and machines are generated, so it has no default.",
    example: `platform:
  aws:
    region: eu-west-1`,
  },
  IC171: {
    remedy: "Use a supported platform, or the installer itself.",
  },
  IC172: {
    remedy: "Remove the section that you do not use.",
    why: "The installer uses one platform only; the other section would be ignored.",
    example: `platform:
  none: {}
  aws: {region: eu-west-1}    # remove this line`,
  },
  IC180: {
    remedy: "Set controlPlane.replicas to 3 (or 1 for a single node), and compute replicas to 0 or more.",
    why: "A control plane without machines cannot start, and the size of a machine pool is limited.",
    example: `controlPlane:
  name: master
  replicas: 3`,
  },
  IC181: {
    remedy: "Name the compute pool worker; use edge only where the platform has edge zones.",
  },
  IC182: {
    remedy: "Set hyperthreading to Enabled or Disabled.",
  },
  IC183: {
    remedy: "Use the control plane's architecture for all pools, or one of the supported values.",
  },
  IC184: {
    remedy: "Remove the section, or move it to the platform that you install on.",
  },
  IC185: {
    remedy: "Add the missing section, and use the types etcd, swap and user-defined.",
  },
  IC187: {
    remedy: "Remove the arbiter pool, or use a platform and replica counts that support it.",
    why: "An arbiter node runs only etcd for two control plane machines, which is supported on few platforms.",
    example: `controlPlane: {name: master, replicas: 2}
arbiter: {name: arbiter, replicas: 1}`,
  },
  IC188: {
    remedy: "Specify one complete credential per control plane machine, and use two control plane machines.",
  },
  IC189: {
    remedy: "Check the reported consequence; no change is required if it is intended.",
    why: "With no compute machines, the control plane nodes run workloads too. slipway sets mastersSchedulable: true, as the installer does.",
    example: `compute:
- name: worker
  replicas: 0`,
  },
  IC190: {
    remedy: "Use http://HOST:PORT, with special characters of the password percent-encoded.",
    why: "The nodes use the proxy before the cluster network exists, so its address must be outside the cluster's networks.",
    example: `proxy:
  httpProxy: http://user:p%40ss@proxy.example.com:3128`,
  },
  IC191: {
    remedy: "Separate domains, IP addresses and CIDRs with commas only.",
  },
  IC193: {
    remedy: "Use the name shown in the message, or remove the field.",
  },
  IC200: {
    remedy: "Use imageDigestSources with repositories such as registry.example.com:5000/team/image.",
  },
  IC201: {
    remedy: "Set the same sourcePolicy in both entries, or merge them.",
  },
  IC210: {
    remedy: "Set publish to External, Internal or, where the platform supports it, Mixed.",
  },
  IC211: {
    remedy: "Use it only with publish: Mixed, with the values External and Internal.",
  },
  IC220: {
    remedy: "Use a mode that the platform supports, or remove the field.",
  },
  IC230: {
    remedy: "Use one of the names that the message lists.",
  },
  IC231: {
    remedy:
      "Add the capability to capabilities.additionalEnabledCapabilities, or choose a larger baselineCapabilitySet.",
    why: "An operator that the platform or another capability depends on would not be installed.",
    example: `capabilities:
  baselineCapabilitySet: None
  additionalEnabledCapabilities: [MachineAPI, CloudCredential, Ingress]`,
  },
  IC240: {
    remedy: "Remove featureSet for the default set, or use one of the listed names.",
  },
  IC241: {
    remedy: "Set featureSet: CustomNoUpgrade and write each gate as NAME=true or NAME=false.",
  },
  IC242: {
    remedy: "Enable the gate with featureSet and featureGates as shown, or remove the field.",
    why: "The API server and the operators ignore or reject the field while its gate is off. A cluster with TechPreviewNoUpgrade or CustomNoUpgrade cannot be upgraded.",
    example: `featureSet: CustomNoUpgrade
featureGates:
- AWSDualStackInstall=true`,
  },
  IC243: {
    remedy: "Use this feature set for test clusters only; it cannot be changed back.",
    why: "TechPreviewNoUpgrade, DevPreviewNoUpgrade and CustomNoUpgrade are one-way: the cluster version operator blocks upgrades for as long as one is set.",
    example: "featureSet: TechPreviewNoUpgrade    # remove for a production cluster",
  },
  IC250: {
    remedy: "Use one of the listed streams, or remove osImageStream.",
  },
  IC251: {
    remedy:
      "Set pki.signerCertificates.key to one algorithm with its own members: rsa.keySize or ecdsa.curve.",
  },
  IC260: {
    remedy: "Use platform: {none: {}}.",
  },
  IC261: {
    remedy: "Use platform: {none: {}}, or remove bootstrapInPlace.",
  },
  IC262: {
    remedy: "Use a path such as /dev/disk/by-id/wwn-0x64cd98f04fde100024684cf3034da5c2.",
  },
  IC270: {
    remedy: "Use a supported value, or remove the field.",
    why: "The installer does not reject the value but uses its default, so the setting has no effect.",
    example: `cpuPartitioningMode: allNodes    # counts as None
cpuPartitioningMode: AllNodes    # right`,
  },
  IC280: {
    remedy: "Use External for cloudControllerManager, or remove the field.",
  },
  IC301: {
    remedy: "Set platform.aws.region, for example eu-west-1.",
  },
  IC302: {
    remedy: "List each subnet once; set roles on all subnets or on none.",
    why: "With roles, slipway needs at least one subnet for each required role in order to place machines and load balancers.",
    example: `platform:
  aws:
    vpc:
      subnets:
      - id: subnet-0123456789abcdef0
        roles: [{type: ClusterNode}]`,
  },
  IC303: {
    remedy: "Set hostedZone together with existing subnets, and hostedZoneRole together with hostedZone.",
  },
  IC304: {
    remedy: "Reduce the number of tags, and use allowed characters.",
  },
  IC305: {
    remedy: "Specify each service once, with an https URL.",
  },
  IC306: {
    remedy: "Set ipFamily to IPv4, or to a dual-stack value with the gate AWSDualStackInstall.",
  },
  IC307: {
    remedy: "Set lbType: NLB, or remove the field.",
  },
  IC308: {
    remedy: "Use zones of platform.aws.region.",
  },
  IC309: {
    remedy: "Use a supported volume type, size, IOPS and throughput.",
  },
  IC310: {
    remedy: "Set metadataService.authentication to Required or Optional.",
  },
  IC311: {
    remedy: "Specify existing subnets too, and do not exceed the limit.",
  },
  IC312: {
    remedy: "Set platform.aws.defaultMachinePlatform.amiID.",
  },
  IC313: {
    remedy: "Set confidentialCompute to a supported value, or remove cpuOptions.",
  },
  IC314: {
    remedy: "Use hostPlacement in worker pools only, with a supported affinity.",
  },
  IC320: {
    remedy: "No change is required; check the listed resources if you rely on the tags.",
    why: "AWS limits the tags of an S3 object to 10, so the temporary bootstrap object gets only the first 10.",
    example: "platform: {aws: {userTags: {team: birds}}}",
  },
  IC321: {
    remedy: "Set lbType to Classic or NLB, or remove the field.",
  },
  IC322: {
    remedy: "Use an ID such as subnet-0123456789abcdef0.",
    why: "The installer passes the ID to AWS, which finds no such subnet.",
    example: "platform: {aws: {vpc: {subnets: [{id: subnet-0123456789abcdef0}]}}}",
  },
  IC330: {
    remedy: "Set the field that the message shows.",
    why: "The platform's section has no default for this field, and the installer rejects an install-config without it.",
    example: `platform:
  azure:
    region: northeurope
    baseDomainResourceGroupName: dns`,
  },
  IC331: {
    remedy: "Use one of the listed values.",
  },
  IC332: {
    remedy: "Use existing names or IDs in the form shown, and set all related fields.",
    why: "The installer looks up existing networks by exactly this identifier.",
    example: `platform:
  gcp:
    network: my-vpc
    controlPlaneSubnet: my-control-plane
    computeSubnet: my-compute`,
  },
  IC333: {
    remedy: "Use unused addresses of a machine network, one per IP family.",
  },
  IC334: {
    remedy: "Use the allowed characters, and do not exceed the limit.",
  },
  IC335: {
    remedy: "Use zones of the configured region, and define each failure domain that is referenced.",
  },
  IC336: {
    remedy: "Use one of the listed types or a value in the range.",
  },
  IC337: {
    remedy: "Use a supported disk type and size.",
  },
  IC338: {
    remedy: "Specify publisher, offer, sku and version, and a supported plan.",
  },
  IC339: {
    remedy: "Use the full identifier of an existing key, and set the fields that belong together.",
  },
  IC340: {
    remedy: "Set the fields that belong together, or remove them.",
  },
  IC341: {
    remedy: "Use an existing one, in the form shown.",
  },
  IC342: {
    remedy: "List a complete host for each machine; each needs a unique name, boot MAC address and BMC.",
  },
  IC343: {
    remedy: "Set the fields that belong together, or remove them.",
  },
  IC344: {
    remedy: "Specify each service once, with an https URL.",
  },
  IC345: {
    remedy: "Specify the server's host name or IP address without scheme, its port, user and password.",
  },
  IC346: {
    remedy: "Use the characters that the message lists.",
  },
  IC347: {
    remedy: "Remove one of the two.",
  },
  IC348: {
    remedy: "Remove it, or set it where the message shows.",
  },
  IC349: {
    remedy: "Check the value; the installer accepts it.",
    why: "The installer does not check this value, but the cloud or an operator will probably reject it or not do what you expect.",
    example: `platform:
  powervs:
    zone: dal12
    region: eu-de     # probably wrong: dal12 is in another region`,
  },
};
