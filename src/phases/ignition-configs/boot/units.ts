/**
 * Units of the bootstrap node (docs/reference/ignition-configs.md §2c), under names of our own where they are ours
 * alone.
 */
import { TABLE } from "../../../generated/tables/bootstrap-steps.js";
import type { IgnitionUnit } from "../config.js";
import type { BootInput } from "./input.js";
import { textsOf } from "./steps.js";

type Section = readonly [name: string, lines: readonly string[]];

const unit = (...sections: readonly Section[]): string =>
  sections.map(([name, lines]) => `[${name}]\n${lines.map((line) => `${line}\n`).join("")}`).join("\n");

const NODE = "/usr/local/bin/slipway-node";
/** podman and oc look for the pull secret in the home of root, which systemd does not tell its services. */
const HOME = "Environment=HOME=/root";
const INSTALL: Section = ["Install", ["WantedBy=multi-user.target"]];

const onceAfter = (what: string): readonly string[] => [`Requires=${what}`, `After=${what}`];
const once = (command: string): Section => [
  "Service",
  ["Type=oneshot", "RemainAfterExit=yes", HOME, `ExecStart=${NODE} ${command}`],
];
const again = (command: string): Section => [
  "Service",
  [HOME, `ExecStart=${command}`, "Restart=on-failure", "RestartSec=5"],
];

/** Without an address of its own the kubelet takes the node's first IPv4 address, or IPv6 with `::`. */
const addressArgs = ({ nodeAddress, ipv6First }: BootInput): readonly string[] =>
  nodeAddress !== undefined
    ? [`--node-ip=${nodeAddress}`, `--address=${nodeAddress}`]
    : ipv6First
      ? ["--node-ip=::"]
      : [];

/** Standalone: no API server is known to it, and it runs the static pods of /etc/kubernetes/manifests. */
const kubelet = (input: BootInput): string =>
  unit(
    [
      "Unit",
      [
        "Description=Kubelet of the bootstrap node",
        "Wants=rpc-statd.service crio.service",
        ...onceAfter("slipway-pause-image.service"),
        "After=crio.service",
      ],
    ],
    [
      "Service",
      [
        "Type=notify",
        "NotifyAccess=all",
        "Environment=KUBELET_RUNTIME_REQUEST_TIMEOUT=10m",
        "EnvironmentFile=-/etc/kubernetes/kubelet-env",
        "EnvironmentFile=-/opt/openshift/slipway/pause-image.env",
        // Through a script, as upstream does it, so that SELinux puts the kubelet into the same domain.
        [`ExecStart=${NODE} kubelet`, ...textsOf(TABLE.kubelet, input), ...addressArgs(input)].join(
          " \\\n  ",
        ),
        "Restart=always",
        "RestartSec=10",
      ],
    ],
    INSTALL,
  );

const check = unit(
  [
    "Unit",
    [
      "Description=Check the programs required by the bootstrap",
      "# To overlay the release's node image, do it in this unit or before it.",
      "After=node-image-overlay.service",
    ],
  ],
  once("check"),
);

const releaseImage = unit(
  [
    "Unit",
    [
      "Description=Pull the OpenShift release image",
      ...onceAfter("slipway-node-check.service"),
      "Wants=network-online.target",
      "After=network-online.target",
    ],
  ],
  once("release-image"),
);

const pauseImage = unit(
  [
    "Unit",
    [
      "Description=Configure CRI-O to use the pause image of the release payload",
      ...onceAfter("slipway-release-image.service"),
      "Before=crio.service",
    ],
  ],
  once("pause-image"),
  ["Install", ["RequiredBy=crio.service"]],
);

const boot = unit(
  [
    "Unit",
    [
      "Description=Start the bootstrap control plane (experimental)",
      "Documentation=file:/usr/local/bin/slipway-boot",
      ...onceAfter("slipway-pause-image.service"),
      "Wants=kubelet.service",
      "After=kubelet.service",
      "ConditionPathExists=!/opt/openshift/.bootkube.done",
      "StartLimitIntervalSec=0",
    ],
  ],
  again("/usr/local/bin/slipway-boot"),
  INSTALL,
);

const beside = (description: string, command: string): string =>
  unit(
    [
      "Unit",
      [
        `Description=${description}`,
        ...onceAfter("slipway-node-check.service"),
        "After=slipway-boot.service",
      ],
    ],
    again(command),
    INSTALL,
  );

const journalKey = unit(
  [
    "Unit",
    ["Description=Give the journal server access to its key", "Before=systemd-journal-gatewayd.service"],
  ],
  once("journal-key"),
  INSTALL,
);

const JOURNAL_DROPIN = unit([
  "Service",
  [
    "ExecStart=",
    "ExecStart=/usr/lib/systemd/systemd-journal-gatewayd --key=/opt/openshift/tls/journal-gatewayd.key --cert=/opt/openshift/tls/journal-gatewayd.crt --trust=/opt/openshift/tls/root-ca.crt",
  ],
]);

/** An update in the middle of the bootstrap would restart the machine. The condition never holds. */
const UPDATER_DROPIN = unit(["Unit", ["ConditionPathExists=!/"]]);

/** A unit with contents has an Install section exactly if it is enabled; the others are pulled in by those. */
export const bootUnits = (input: BootInput): readonly IgnitionUnit[] => [
  { name: "slipway-node-check.service", contents: check },
  { name: "slipway-release-image.service", contents: releaseImage },
  { name: "slipway-pause-image.service", enabled: true, contents: pauseImage },
  { name: "kubelet.service", enabled: true, contents: kubelet(input) },
  { name: "slipway-boot.service", enabled: true, contents: boot },
  {
    name: "slipway-approve-csrs.service",
    enabled: true,
    contents: beside("Approve requests for certificates during the bootstrap", `${NODE} approve-csrs`),
  },
  // A machine that installs itself reports after its restart: until then no API answers that would keep the report.
  input.installationDisk === undefined
    ? {
        name: "slipway-progress.service",
        enabled: true,
        contents: beside("Report that the bootstrap is complete", `${NODE} progress`),
      }
    : {
        name: "slipway-install.service",
        enabled: true,
        contents: beside(
          "Install this machine to its disk (experimental)",
          "/usr/local/bin/slipway-in-place install",
        ),
      },
  { name: "slipway-journal-key.service", enabled: true, contents: journalKey },
  {
    name: "systemd-journal-gatewayd.service",
    dropins: [{ name: "slipway-certificates.conf", contents: JOURNAL_DROPIN }],
  },
  { name: "systemd-journal-gatewayd.socket", enabled: true },
  { name: "zincati.service", dropins: [{ name: "slipway-off.conf", contents: UPDATER_DROPIN }] },
];
