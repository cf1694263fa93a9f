/** Image-based installation: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const IMAGE_BASED: Remedies<"IBI"> = {
  IBI001: {
    remedy:
      "Use a mapping with the fields of the config; to create one with comments, use the command in the hint.",
  },
  IBI002: {
    remedy: "Correct the value as the message says; slipway explain shows every field of the config.",
    why: "openshift-install validates both configs before it creates an image, and rejects these values.",
    example: `kind: ImageBasedInstallationConfig
seedImage: quay.io/example/seed:4.22.0
seedVersion: 4.22.0
installationDisk: /dev/disk/by-id/wwn-0x5000c500a0b1c2d3
coreosInstallerArgs: [--append-karg, console=ttyS0]`,
  },
  IBI003: {
    remedy: "Use platform none with one control plane node, no compute nodes and OVNKubernetes.",
    why: "An image-based installation starts from the image of a single-node cluster and cannot change its shape.",
    example: `controlPlane:
  name: master
  replicas: 1
compute:
- name: worker
  replicas: 0
platform:
  none: {}`,
  },
  IBI004: {
    remedy: "Create the file: slipway create install-config, or slipway create image-based-config.",
  },
  IBI005: {
    remedy: "Edit the existing file, move it away, or use another directory.",
    why: "A starter never replaces a file, which may contain your settings.",
    example: "slipway create image-based-config --dir another-directory",
  },
  IBI006: {
    remedy:
      "Correct networkConfig as nmstatectl says; nmstatectl gc FILE checks it without changing the host.",
  },
  IBI007: {
    remedy: "Set --nmstatectl to the program to check the network; the image is the same.",
    why: "The image contains networkConfig as text, so that slipway can write it without nmstatectl. openshift-install requires it.",
    example: "slipway create image-based-config-image --dir cluster --nmstatectl /usr/bin/nmstatectl",
  },
  IBI008: {
    remedy: "Remove the field, or ignore the warning: the seed cluster decides.",
  },
};
