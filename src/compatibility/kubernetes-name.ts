/** Stands for what slipway knows of Kubernetes' own releases wherever a table's file may be named. */
export const KUBERNETES = "kubernetes";

/** True for a name of Kubernetes' own tables: `kubernetes`, or with a release, `kubernetes@1.35`. */
export const isKubernetes = (name: string): boolean => name.split("@")[0] === KUBERNETES;

/** The release in such a name; undefined where it has none. */
export const releaseNamed = (name: string): string | undefined => name.split("@")[1];
