/** Version of every document of ours: json results, record, facts. */
export const API_VERSION = "slipway.dev/v1alpha1";
