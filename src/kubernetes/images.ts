/**
 * References to container images, by the grammar of the distribution project: `[domain/]path[:tag][@digest]`, where
 * the domain holds a dot, a port or is `localhost`.
 */
const PART = "[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?";
const DOMAIN = `(?:${PART}(?:\\.${PART})*|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]+)?`;
const PATH_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const TAG = "[A-Za-z0-9_][-A-Za-z0-9_.]{0,127}";
const DIGEST = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}";
const REFERENCE = new RegExp(`^(?:${DOMAIN}/)?${PATH_PART}(?:/${PATH_PART})*(?::${TAG})?(?:@${DIGEST})?$`);

export const isImageReference = (text: string): boolean => text.length <= 1024 && REFERENCE.test(text);
