/**
 * Values of `platform.NAME.ipFamily`, on platforms that have it (docs/reference/install-config-and-manifests.md §1.7).
 */

/** The family that comes first, by the value that asks for both. */
export const FIRST_OF_BOTH = { DualStackIPv4Primary: "IPv4", DualStackIPv6Primary: "IPv6" } as const;

/** Values that ask for both. */
export const DUAL_STACK_FAMILIES: readonly string[] = Object.keys(FIRST_OF_BOTH);

export const isDualStack = ({ ipFamily }: { readonly ipFamily?: string | undefined }): boolean =>
  DUAL_STACK_FAMILIES.includes(ipFamily ?? "");
