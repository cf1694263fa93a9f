import type { CloudFacts } from "../../generated/types/cloud-facts.js";

/** There is no cloud to ask, so there is nothing to know. */
export const resolveFacts = (): CloudFacts => ({ apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" });
