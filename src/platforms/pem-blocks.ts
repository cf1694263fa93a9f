/** PEM blocks of a text, each written anew: lines of 64 characters, one final newline. No body has five dashes. */
const BLOCK = /-----BEGIN ([^\n-]+)-----\r?\n([^-]*(?:-(?!----)[^-]*)*)-----END \1-----/g;

export const pemBlocks = (text: string): readonly string[] =>
  [...text.matchAll(BLOCK)].map(([, type = "", body = ""]) => {
    const lines = body.replace(/\s/g, "").match(/.{1,64}/g) ?? [];
    return `-----BEGIN ${type}-----\n${lines.map((line) => `${line}\n`).join("")}-----END ${type}-----\n`;
  });
