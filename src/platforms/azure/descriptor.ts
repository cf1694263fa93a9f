import type { PlatformDescriptor } from "../platform.js";
import { starter } from "./starter.js";

export const azure: PlatformDescriptor = {
  handling: { starter, load: async () => (await import("./index.js")).platform },
  traits: {
    reviewed: "5.0",
    infrastructure: "made",
    publish: ["External", "Internal", "Mixed"],
    credentials: [
      { where: { cloudName: "AzureStackCloud" }, modes: ["Manual"], initial: "Manual" },
      { modes: ["Manual", "Passthrough"] },
    ],
    ipFamilies: { ipv6Alone: false, byField: { since: "5.0" } },
    singleNode: { always: {} },
    inNames: ["zones"],
    capabilities: ["CloudCredential", "CloudControllerManager"],
    poolSection: "refused",
    clusterName: "begins with a letter",
    // https://learn.microsoft.com/en-us/azure/azure-resource-manager/troubleshooting/error-reserved-resource-name
    reservedNames: {
      since: "4.22",
      by: "Azure",
      names: new Set(
        (
          "access app_code app_themes app_data app_globalresources app_localresources app_webreferences app_browsers " +
          "azure bing bizspark biztalk cortana directx dotnet dynamics excel exchange forefront groove hololens hyperv " +
          "kinect lync msdn o365 office office365 onedrive onenote outlook powerpoint sharepoint skype visio " +
          "visualstudio web.config xbox"
        ).split(" "),
      ),
      parts: /microsoft|windows|^login/,
    },
    userData: {
      what: "custom data of an Azure machine",
      limit: 65535,
      counts: "bytes",
      source: "Azure compute API, osProfile.customData: 65535 bytes after decoding",
    },
  },
};
