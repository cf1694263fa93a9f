/**
 * Rules of the webhooks of Metal3, which no definition of a kind holds (cluster-api-provider-metal3 v1.13
 * internal/webhooks/v1beta2 and api/v1beta2/common_types.go: ValidateCreate; of hosts baremetal-operator
 * internal/webhooks/metal3.io/v1alpha1/baremetalhost_validation.go). Pure over objects as they would be applied.
 */

import { isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import { type Found, problem } from "../../core/problem.js";
import { parseMac } from "../../kubernetes/network.js";
import { parseUri } from "../../text/uri.js";
import { DEVICE_HINT, deviceFaults } from "../devices.js";
import { controllerAt } from "./controllers.js";

const at = (value: Json | undefined, name: string): JsonObject => {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
};

export function webhookFindings(object: JsonObject): readonly Found[] {
  if (textAt(object, "apiVersion") === "metal3.io/v1alpha1" && textAt(object, "kind") === "BareMetalHost")
    return hostFindings(object);
  if (!textAt(object, "apiVersion").startsWith("infrastructure.cluster.x-k8s.io/")) return [];
  const spec = at(object, "spec");
  switch (textAt(object, "kind")) {
    case "Metal3Cluster":
      return textAt(at(spec, "controlPlaneEndpoint"), "host") === ""
        ? [
            fault(
              "Invalid",
              "spec.controlPlaneEndpoint",
              "required value is missing: host",
              "set the virtual IP of the API",
            ),
          ]
        : [];
    case "Metal3MachineTemplate": {
      const machine = at(at(spec, "template"), "spec");
      return textAt(at(machine, "customDeploy"), "method") === "" ? imageFindings(at(machine, "image")) : [];
    }
    default:
      return [];
  }
}

/** A UUID as Go's package reads it: plain, in braces, as a URN, without dashes. */
const UUID =
  /^(?:(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}.|[0-9a-f]{32})$/i;

/** What the new host says; its login and its disks are nobody's to look up here. */
function hostFindings(object: JsonObject): Found[] {
  const spec = at(object, "spec");
  const found: Found[] = [];
  if (UUID.test(textAt(at(object, "metadata"), "name")))
    found.push(fault("Invalid", "metadata.name", "the name must not be a UUID", "use another name"));
  for (const message of deviceFaults(textAt(at(spec, "rootDeviceHints"), "deviceName")))
    found.push(fault("Invalid", "spec.rootDeviceHints.deviceName", message, DEVICE_HINT));
  const address = textAt(at(spec, "bmc"), "address");
  if (address === "") return found;
  const controller = controllerAt(address);
  if ("fault" in controller)
    return [
      ...found,
      fault(
        "Invalid",
        "spec.bmc.address",
        controller.fault,
        "use an address such as redfish-virtualmedia+https://192.0.2.10/redfish/v1/Systems/1",
      ),
    ];
  const mac = textAt(spec, "bootMACAddress");
  if (mac !== "" && parseMac(mac) === undefined)
    found.push(
      fault(
        "Invalid",
        "spec.bootMACAddress",
        "must be a MAC address",
        "use an address such as 52:54:00:00:00:01",
      ),
    );
  if (textAt(spec, "bootMode") === "UEFISecureBoot" && !controller.secureBoot)
    found.push(
      fault(
        "Invalid",
        "spec.bootMode",
        `the driver ${controller.driver} does not support Secure Boot`,
        "use UEFI, or a Redfish address of the BMC",
      ),
    );
  return found;
}

const IMAGE = "spec.template.spec.image";

function imageFindings(image: JsonObject): Found[] {
  const [url, checksum] = [textAt(image, "url"), textAt(image, "checksum")];
  if (url === "" && image["checksum"] === undefined)
    return [
      fault(
        "Required",
        IMAGE,
        "required value is missing: image or customDeploy",
        "use image.url with image.checksum, or customDeploy.method: install_coreos",
      ),
    ];
  const found: Found[] = [];
  if (url === "") found.push(fault("Required", `${IMAGE}.url`, "required value is missing", "add url"));
  else if (!isRequestUri(url))
    found.push(
      fault("Invalid", `${IMAGE}.url`, "must be a URL", "use a URL such as http://192.0.2.20/image.raw"),
    );
  if (url.startsWith("oci://")) {
    for (const name of ["checksum", "checksumType"])
      if (textAt(image, name) !== "")
        found.push(
          fault(
            "Forbidden",
            `${IMAGE}.${name}`,
            "forbidden: an image of a registry has its own checksum",
            "remove it",
          ),
        );
  } else if (image["diskFormat"] !== "live-iso") {
    if (checksum === "")
      found.push(fault("Required", `${IMAGE}.checksum`, "required value is missing", "add checksum"));
    else if (/^https?:\/\//.test(checksum) && !isRequestUri(checksum))
      found.push(fault("Invalid", `${IMAGE}.checksum`, "must be a URL", "use a checksum, or its URL"));
  }
  return found;
}

const isRequestUri = (text: string): boolean => parseUri(text, "request") !== undefined;

const fault = (kind: Found["kind"], field: string, message: string, hint: string): Found =>
  problem("CAPI101", kind, field, message, hint);
