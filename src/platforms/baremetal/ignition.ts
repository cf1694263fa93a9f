/**
 * What baremetal adds to the Ignition configs (openshift/installer pkg/asset/ignition/bootstrap/baremetal/template.go and
 * data/data/bootstrap/baremetal/files): the settings, logins and certificates of the services that provision the control plane
 * from the bootstrap node. The services themselves are programs of the release, which its installer brings.
 */
import { decode } from "../../core/files.js";
import { isObject } from "../../core/json.js";
import { contains, effectivePrefix, isV4, parseAddress, parseCidr } from "../../kubernetes/network.js";
import { parseYaml } from "../../text/yaml-parse.js";
import type { NormalConfig } from "../config.js";
import type { IgnitionFile, IgnitionParts, MediaServer } from "../ignition.js";
import type { BootstrapInput, PlatformIgnition } from "../platform.js";
import { type BaremetalPlatform, baremetalOf, isDisabled } from "./config.js";
import { openHosts } from "./supplement.js";
import { has } from "./tables.js";

export const ignition: PlatformIgnition = {
  // The installer leaves the two addresses out of it, and writes them empty.
  metadata: ({ config }) => ({
    baremetal: {
      libvirtURI: baremetalOf(config).libvirtURI ?? "",
      bootstrapProvisioningIP: "",
      provisioningHostIP: "",
    },
  }),
  bootstrap,
  startedByBootstrap(input, files) {
    const hosts = openHosts(input, files);
    return hosts.length === 0
      ? undefined
      : {
          files: hosts,
          program: "Ironic",
          reaches: isDisabled(baremetalOf(input.config))
            ? "the BMCs"
            : "the BMCs and the provisioning network",
        };
  },
  leftToInstaller:
    "the boot scripts, with the services that provision the control plane from the bootstrap node, come from openshift-install",
};

const HTTP_PORT = 6180;
const HTTPS_PORT = 6183;

function bootstrap(input: BootstrapInput): IgnitionParts {
  const { config, mediaServer, release } = input;
  const baremetal = baremetalOf(config);
  const file = (path: string, lines: readonly string[]): IgnitionFile => ({
    path,
    mode: 0o600,
    data: lines.map((line) => `${line}\n`).join(""),
  });
  const network = provisioning(config);
  const families = familiesOf(config);
  return {
    files: [
      file("/etc/ironic.env", [
        "AUTH_DIR=/opt/metal3/auth",
        `HTTP_PORT=${HTTP_PORT}`,
        `DHCP_RANGE="${network.dhcpRange}"`,
        `DHCP_ALLOW_MACS="${network.allowed.join(" ")}"`,
        `IRONIC_RAMDISK_SSH_KEY="${config.sshKey ?? ""}"`,
        `IPTABLES=${network.ipv6 ? "ip6tables" : "iptables"}`,
        `ADDITIONAL_NTP_SERVERS="${(baremetal.additionalNTPServers ?? []).join(",")}"`,
      ]),
      file("/etc/ironic-network.env", [
        `PROV_IP_FAMILY=${network.ipv6 ? "ip6" : "ip4"}`,
        ...(families.both ? [] : [`EXTERNAL_IP_FAMILY=${families.ipv6First ? "ip6" : "ip4"}`]),
      ]),
      file("/etc/NetworkManager/conf.d/99-baremetal.conf", [
        "[main]",
        "rc-manager=unmanaged",
        "[connection]",
        "ipv6.dhcp-duid=ll",
        "ipv6.dhcp-iaid=mac",
      ]),
      file("/etc/NetworkManager/system-connections/nmconnection", connection(config, families.ipv6First)),
      ...(has(release, "verifiedControllers")
        ? [file("/opt/openshift/bmc-ca/verify_ca.crt", [baremetal.bmcVerifyCA ?? ""])]
        : []),
      ...(mediaServer === undefined ? [] : mediaFiles(input, mediaServer)),
    ],
    units: [],
  };
}

/** Login and certificate of the services, and the file that a client finds them by. */
function mediaFiles({ config, manifestFiles }: BootstrapInput, media: MediaServer): IgnitionFile[] {
  const { user, password, key, certificate } = media;
  const { apiVIPs = [] } = baremetalOf(config);
  const [vip = ""] = apiVIPs;
  const secret = (path: string, data: string): IgnitionFile => ({ path, mode: 0o600, data });
  return [
    secret(
      "/etc/metal3.env",
      [
        "AUTH_DIR=/opt/metal3/auth",
        `IRONIC_ENDPOINT="https://${user}:${password}@localhost:6385/v1"`,
        `IRONIC_EXTERNAL_URL_V6="${externalUrl(apiVIPs, withTls(manifestFiles))}"`,
        "",
      ].join("\n"),
    ),
    ...["ironic", "ironic-inspector"].flatMap((service) => [
      secret(`/opt/metal3/auth/${service}/username`, user),
      secret(`/opt/metal3/auth/${service}/password`, password),
    ]),
    secret(
      "/opt/metal3/auth/clouds.yaml",
      [
        "clouds:",
        "  metal3-bootstrap:",
        "    auth_type: http_basic",
        `    username: ${user}`,
        `    password: ${password}`,
        `    baremetal_endpoint_override: https://${hostOf(vip)}:6385/v1`,
        `    baremetal_introspection_endpoint_override: http://${hostOf(vip)}:5050/v1`,
        "",
      ].join("\n"),
    ),
    secret("/opt/openshift/tls/ironic/tls.key", key),
    secret("/opt/openshift/tls/ironic/tls.crt", certificate),
  ];
}

const hostOf = (address: string): string => (address.includes(":") ? `[${address}]` : address);

/** Where hosts call back that reach the node over IPv6 alone; there is no choice with one virtual IP. */
function externalUrl(vips: readonly string[], tls: boolean): string {
  const ipv6 = vips.length > 1 ? vips.find((vip) => parseAddress(vip)?.length === 16) : undefined;
  return ipv6 === undefined ? "" : `${tls ? "https" : "http"}://[${ipv6}]:${tls ? HTTPS_PORT : HTTP_PORT}/`;
}

/** False when the user has turned TLS off in the Provisioning object on disk. */
function withTls(files: BootstrapInput["manifestFiles"]): boolean {
  const file = files.find(({ path }) => path.endsWith("99_baremetal-provisioning-config.yaml"));
  const object = file === undefined ? undefined : parseYaml(decode(file.data) ?? "");
  const spec = isObject(object) ? object["spec"] : undefined;
  return !(isObject(spec) && spec["disableVirtualMediaTLS"] === true);
}

/** The provisioning network as the services on the bootstrap node see it. */
function provisioning(config: NormalConfig): {
  readonly dhcpRange: string;
  readonly allowed: readonly string[];
  readonly ipv6: boolean;
} {
  const baremetal = baremetalOf(config);
  if (isDisabled(baremetal)) {
    const network = networkWith(config, baremetal.bootstrapProvisioningIP ?? "");
    return { dhcpRange: "", allowed: [], ipv6: network !== undefined && !isV4(network) };
  }
  const block = parseCidr(baremetal.provisioningNetworkCIDR ?? "");
  const managed = baremetal.provisioningNetwork === "Managed";
  return {
    dhcpRange:
      managed && block !== undefined ? `${baremetal.provisioningDHCPRange},${effectivePrefix(block)}` : "",
    allowed: managed ? controlPlaneMacs(baremetal) : [],
    ipv6: block !== undefined && !isV4(block),
  };
}

/** Only hosts that the config calls so; DHCP answers nobody else while the bootstrap node provisions. */
const controlPlaneMacs = ({ hosts = [] }: BaremetalPlatform): string[] =>
  hosts
    .filter(({ role }) => role === "master" || role === "arbiter")
    .map(({ bootMACAddress = "" }) => bootMACAddress);

/** The last machine network that holds an address. */
function networkWith({ networking }: NormalConfig, text: string) {
  const address = parseAddress(text);
  return networking.machineNetwork
    .flatMap(({ cidr }) => parseCidr(cidr) ?? [])
    .findLast((block) => address !== undefined && contains(block, address));
}

/** Families of the service networks. */
function familiesOf({ networking }: NormalConfig): { readonly both: boolean; readonly ipv6First: boolean } {
  const ipv4 = networking.serviceNetwork.flatMap((text) => parseCidr(text) ?? []).map(isV4);
  return { both: ipv4.includes(true) && ipv4.includes(false), ipv6First: ipv4[0] === false };
}

/** The connection of a bootstrap machine without DHCP; nothing else. */
function connection(config: NormalConfig, ipv6: boolean): string[] {
  const {
    bootstrapExternalStaticIP: address = "",
    bootstrapExternalStaticGateway = "",
    bootstrapExternalStaticDNS = "",
    externalMACAddress = "",
  } = baremetalOf(config);
  if (address === "") return [""];
  return [
    "",
    "[connection]",
    "type=ethernet",
    "[ethernet]",
    `mac-address=${externalMACAddress}`,
    "",
    ipv6 ? "[ipv6]" : "[ipv4]",
    "",
    "method=manual",
    `addresses=${address}/${prefixOf(config, address)}`,
    `gateway=${bootstrapExternalStaticGateway}`,
    `dns=${bootstrapExternalStaticDNS}`,
    "",
  ];
}

/** The prefix of the machine network that an address is in; else that of its class, or 64. */
function prefixOf({ networking }: NormalConfig, text: string): number {
  const address = parseAddress(text);
  const found = networking.machineNetwork
    .flatMap(({ cidr }) => parseCidr(cidr) ?? [])
    .find((block) => address !== undefined && contains(block, address));
  if (found !== undefined) return effectivePrefix(found);
  const [first = 0] = address ?? [];
  return address?.length !== 4 ? 64 : first < 128 ? 8 : first < 192 ? 16 : first < 224 ? 24 : 64;
}
