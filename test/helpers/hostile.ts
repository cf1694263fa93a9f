/** Texts that would run, or change what runs, where they reached a shell as they are. */

/** The file that a hostile text makes where a shell runs it, in the folder that it runs in. */
export const MARK = "RAN";

export const HOSTILE: readonly string[] = [
  `$(touch ${MARK})`,
  `\`touch ${MARK}\``,
  `'; touch ${MARK}; '`,
  `"; touch ${MARK}; "`,
  `a\ntouch ${MARK}\n`,
  `a\r\ntouch ${MARK}\r\n`,
  `; touch ${MARK}`,
  `& touch ${MARK} &`,
  `| touch ${MARK}`,
  `'$(touch ${MARK})'`,
  `"$(touch ${MARK})"`,
  `\\"$(touch ${MARK})\\"`,
  `\${x:-$(touch ${MARK})}`,
  `EOF\ntouch ${MARK}\n`,
  `> ${MARK}`,
  `-o=${MARK}`,
  `--kubeconfig=${MARK}`,
];
