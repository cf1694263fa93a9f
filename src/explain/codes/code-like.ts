/** True for a word that has the form of a diagnostic code, in letters of either case. */
export const isCodeLike = (word: string): boolean => /^[a-z]{2,5}[0-9]{3}$/i.test(word);
