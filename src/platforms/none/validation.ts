/** The platform none has no rules beyond the general ones (facts/install-config-and-manifests.md §1.9). */
export const validate = (): void => undefined;
