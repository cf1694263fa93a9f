/** Facts, credentials and identity: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const CLOUD: Remedies<"FACT" | "CRED" | "ID" | "MAN"> = {
  FACT001: {
    remedy: "Add the fact to the facts file and specify it with --facts FILE.",
    why: 'slipway never contacts a cloud. A CloudFacts file must contain the values that the installer would query from the cloud. "slipway explain cloud-facts" describes every field.',
    example: `apiVersion: slipway.dev/v1alpha1
kind: CloudFacts
aws:
  region: eu-west-1
  publicHostedZone: Z0123456789EXAMPLE`,
  },
  FACT002: {
    remedy: "Correct the facts or the install-config.",
    why: "The facts describe what exists in the cloud. An install-config that refers to something else would fail during the installation.",
    example: `# facts.yaml does not list subnet-b: add it, or correct the install-config:
platform: {aws: {vpc: {subnets: [{id: subnet-a}]}}}`,
  },
  FACT003: {
    remedy: "Use apiVersion: slipway.dev/v1alpha1 and kind: CloudFacts; see slipway explain cloud-facts.",
  },
  FACT004: {
    remedy: "Add the fact if the default is wrong.",
    why: "The installer would query the cloud. Offline, slipway uses the default of the release.",
    example: "slipway explain cloud-facts.aws.instanceTypeOfferings",
  },
  FACT005: {
    remedy: "Copy the image as the manual steps describe, or set an image that exists in the region.",
  },
  FACT006: {
    remedy: "Use the output of: openshift-install coreos print-stream-json.",
  },
  FACT007: {
    remedy: "Check the value against the cloud, then correct the install-config or the facts.",
    why: "The installer accepts the value, but according to the facts the cloud does not offer it, so machines may fail to start.",
    example: `controlPlane:
  platform: {aws: {type: m6i.xlarge}}    # must be offered in every zone of the pool`,
  },
  FACT008: {
    remedy: "Correct the install-config as described in the message.",
    why: "openshift-install create cluster checks more than openshift-install create manifests, because it connects to the cloud. slipway runs the same checks against the facts.",
    example: `platform:
  baremetal:
    hosts:
    - name: node-0
      bmc: {address: redfish+https://192.168.111.1/…, username: admin, password: …}`,
  },
  FACT009: {
    remedy: "Use the facts file of this cluster.",
  },
  FACT010: {
    remedy:
      "Supply what the message names and run create manifests again, or ignore the warning if you do not run openshift-install create cluster.",
    why: "Only the installer's own controllers read cluster-api/. The manifests are complete without it.",
    example: "slipway create manifests --dir out/cluster --credentials clouds.yaml",
  },
  FACT011: {
    remedy: "Replace the value in angle brackets. The comment above it has the command that prints it.",
    why: "slipway create facts writes a facts file in which only you, or the cloud, can fill in the values.",
    example: `aws:
  # ID of the public hosted zone of example.com.
  publicHostedZone: Z0123456789EXAMPLE`,
  },
  FACT012: {
    remedy:
      "Run slipway create facts and fill in the values, or run the script that it writes with --script.",
    why: "A facts file has what the installer would query from the cloud. slipway knows which facts an install-config needs.",
    example: "slipway create facts --dir cluster --script facts.sh",
  },
  CRED001: {
    remedy: "Use the file format of the provider's own command-line tool.",
  },
  CRED002: {
    remedy: "Add the values that the message lists.",
  },
  CRED003: {
    remedy: "Use long-lived credentials of a service account or user, or set credentialsMode: Manual.",
    why: "In the modes Mint and Passthrough the cluster stores the credentials. Temporary or personal logins expire or must not be shared.",
    example: "credentialsMode: Manual",
  },
  CRED004: {
    remedy: "Add --credentials FILE, or set credentialsMode: Manual.",
    why: "The operators of the cluster read the cloud credentials from a Secret in kube-system that is part of the manifests.",
    example: "slipway create manifests --dir cluster --credentials ~/.aws/credentials",
  },
  ID001: {
    remedy: "Use lowercase letters, digits and hyphens, with a letter or digit at both ends.",
  },
  ID002: {
    remedy: "Use 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, separated by hyphens.",
  },
  ID003: {
    remedy: "Use a shorter name, or set --infra-id.",
  },
  ID004: {
    remedy: "Use a password of at least the reported length, or a bcrypt hash.",
  },
  ID005: {
    remedy: "Create one with: openssl rand -out FILE 32.",
  },
  MAN001: {
    remedy: "Set controlPlane.replicas: 3, or use bootstrap-in-place where the message offers it.",
  },
  MAN002: {
    remedy: "Remove diskSetup and add a MachineConfig to openshift/.",
  },
  MAN003: {
    remedy: "Remove the arbiter pool, or use a newer --release.",
  },
  MAN004: {
    remedy:
      "Use at most 253 lowercase letters, digits, hyphens and dots in the value that the name is made from.",
  },
};
