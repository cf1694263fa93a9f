import type { PlatformInput } from "./platform.js";

/** What is decided from config, facts and release is decided once for them, whoever asks; `make` is pure. */
export function onceFor<Asked extends Pick<PlatformInput, "config" | "facts" | "release">, Made>(
  make: (input: Asked) => Made,
): (input: Asked) => Made {
  const known = new WeakMap<object, { readonly input: Asked; readonly made: Made }>();
  return (input) => {
    const last = known.get(input.facts);
    if (last?.input.config === input.config && last.input.release === input.release) return last.made;
    const made = make(input);
    known.set(input.facts, { input, made });
    return made;
  };
}
