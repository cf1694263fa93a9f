/** Stands for what slipway knows of Kubernetes' own releases wherever a table's file may be named. */
export const KUBERNETES = "kubernetes";
