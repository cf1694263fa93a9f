/** Lists the gates whose state changes between two releases of the API server, with its flags. */
import { askGates, commandLineFlag, kubernetesGates, parseMinor, SHIPPED } from "slipway";

function gatesAt(release: string): Map<string, boolean> {
  const minor = parseMinor(release);
  if (minor === undefined) throw new Error(`${release} is not a release`);
  const { accepted, components, diagnostics } = askGates({
    tables: [kubernetesGates(minor)],
    dependencies: [],
    binary: undefined,
    emulated: [],
    minCompatibility: [],
    featureGates: [commandLineFlag("--feature-gates", "AllBeta=true")],
    rules: SHIPPED,
  });
  if (!accepted) for (const { message } of diagnostics) console.error(message);
  return new Map(components.flatMap(({ gates }) => gates.map(({ name, enabled }) => [name, enabled])));
}

const [before, after] = [gatesAt("1.35"), gatesAt("1.36")];
for (const [name, enabled] of after)
  if (before.has(name) && before.get(name) !== enabled) console.log(`${name}: ${enabled ? "on" : "off"}`);
