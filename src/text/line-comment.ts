/** A line of YAML up to its comment; a `#` inside quotes is none. */
export function withoutComment(line: string): string {
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (char === "#" && (i === 0 || /\s/.test(line.charAt(i - 1)))) return line.slice(0, i);
    else if ((char === '"' || char === "'") && (i === 0 || /[\s:[{,-]/.test(line.charAt(i - 1))))
      quote = char;
  }
  return line;
}
