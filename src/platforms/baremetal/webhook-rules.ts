/**
 * Rules of the webhooks of Metal3's provider, which no definition of a kind holds (cluster-api-provider-metal3 v1.13
 * internal/webhooks/v1beta2 and api/v1beta2/common_types.go: ValidateCreate). Pure over objects as they would be applied.
 */
import { isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import type { ObjectFinding } from "../../kubernetes/finding.js";
import { parseUri } from "../../text/uri.js";

const at = (value: Json | undefined, name: string): JsonObject => {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
};

export function webhookFindings(object: JsonObject): readonly ObjectFinding[] {
  if (!textAt(object, "apiVersion").startsWith("infrastructure.cluster.x-k8s.io/")) return [];
  const spec = at(object, "spec");
  switch (textAt(object, "kind")) {
    case "Metal3Cluster":
      return textAt(at(spec, "controlPlaneEndpoint"), "host") === ""
        ? [
            fault(
              "Invalid",
              "spec.controlPlaneEndpoint",
              "the endpoint of the API has no host",
              "write the virtual IP of the API",
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

const IMAGE = "spec.template.spec.image";

function imageFindings(image: JsonObject): ObjectFinding[] {
  const [url, checksum] = [textAt(image, "url"), textAt(image, "checksum")];
  if (url === "" && image["checksum"] === undefined)
    return [
      fault(
        "Required",
        IMAGE,
        "the template says neither which image goes onto the disk nor how it gets there",
        "write image.url with image.checksum, or customDeploy.method: install_coreos",
      ),
    ];
  const found: ObjectFinding[] = [];
  if (url === "") found.push(fault("Required", `${IMAGE}.url`, "the image has no URL", "add url"));
  else if (!isRequestUri(url))
    found.push(
      fault("Invalid", `${IMAGE}.url`, "this is not a URL", "write one such as http://192.0.2.20/image.raw"),
    );
  if (url.startsWith("oci://")) {
    for (const name of ["checksum", "checksumType"])
      if (textAt(image, name) !== "")
        found.push(
          fault(
            "Forbidden",
            `${IMAGE}.${name}`,
            "an image of a registry has its own checksum",
            "leave it out",
          ),
        );
  } else if (image["diskFormat"] !== "live-iso") {
    if (checksum === "")
      found.push(fault("Required", `${IMAGE}.checksum`, "the image has no checksum", "add checksum"));
    else if (/^https?:\/\//.test(checksum) && !isRequestUri(checksum))
      found.push(fault("Invalid", `${IMAGE}.checksum`, "this is not a URL", "write a checksum, or its URL"));
  }
  return found;
}

const isRequestUri = (text: string): boolean => parseUri(text, "request") !== undefined;

const fault = (kind: ObjectFinding["kind"], field: string, message: string, hint: string): ObjectFinding => ({
  code: "CAPI101",
  kind,
  field,
  message,
  hint,
});
