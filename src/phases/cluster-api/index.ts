/**
 * The folder cluster-api/: what the installer's own controllers create the infrastructure, the bootstrap machine and the
 * control plane from (openshift/installer pkg/asset/manifests/clusterapi/cluster.go). It is an addition to the manifests: what
 * it lacks is a warning, and never keeps the manifests from being written.
 */
import type { OutputFile } from "../../core/files.js";
import { byCodeUnit } from "../../core/files.js";
import { type Problem, warning } from "../../core/problem.js";
import { INSTALLER_NAMESPACE } from "../../platforms/installer-machines.js";
import type { InstallerClusterApi, LackingFact, Rendering } from "../../platforms/platform.js";
import type { Renderer } from "../../text/render.js";
import { definePhase } from "../assets.js";

const FOLDER = "cluster-api/";
const MACHINES = "cluster-api/machines/";

export const clusterApi = definePhase({
  name: "cluster-api",
  needs: ["install-config", "identity", "facts", "credentials", "platform"],
  summary: "Generate the installer's Cluster API objects",
  run(needs, { release, render, machinesElsewhere = false, report }) {
    const { identity, facts, credentials, platform } = needs;
    const { config } = needs["install-config"];
    // Where the control plane's machines are another's, the installer's controllers have nothing to create.
    const made = machinesElsewhere
      ? undefined
      : platform.clusterApi?.({ config, identity, facts, credentials, release });
    if (made === undefined) return [];
    const lacking = [...(made.lacking ?? [])];
    const complete = (renderings: readonly Rendering[], path: string): readonly Rendering[] => {
      const refused = renderings.flatMap((each) => refusal(render, each, path));
      lacking.push(...refused);
      return refused.length === 0 ? renderings : [];
    };
    const objects = complete([...common(made), ...made.objects], FOLDER);
    const machines = complete(made.machines, MACHINES);
    const missing = leftOut(lacking);
    if (missing !== undefined) report(missing);
    if (objects.length === 0 || lacking.some(({ path }) => path === undefined)) return [];
    return filesOf(render, [...objects, ...machines]);
  },
});

/** What every platform has: the namespace, and a Cluster for each infrastructure cluster. */
const common = ({ clusters }: InstallerClusterApi): readonly Rendering[] => [
  {
    template: "cluster-api/000_capi-namespace.yaml",
    path: "cluster-api/000_capi-namespace.yaml",
    view: { name: INSTALLER_NAMESPACE },
  },
  ...clusters.map(
    (cluster, index): Rendering => ({
      template: "cluster-api/01_capi-cluster.yaml",
      path: `cluster-api/01_capi-cluster-${index}.yaml`,
      view: {
        name: cluster.name,
        namespace: INSTALLER_NAMESPACE,
        infrastructureRef: {
          apiVersion: cluster.apiVersion,
          kind: cluster.kind,
          name: cluster.name,
          namespace: INSTALLER_NAMESPACE,
        },
      },
    }),
  ),
];

/** An object that its provider's definition refuses, although the install-config is valid. */
function refusal(
  render: Renderer,
  { template, view, path }: Rendering,
  group: string,
): readonly LackingFact[] {
  const fault = render.fault(template, view);
  return fault === undefined
    ? []
    : [{ path: group, what: `a valid ${path} (${fault})`, hint: "correct the install-config" }];
}

/** One warning for everything that is left out. */
function leftOut(lacking: readonly LackingFact[]): Problem | undefined {
  if (lacking.length === 0) return undefined;
  const whole = lacking.filter(({ path }) => path === undefined || path === FOLDER);
  const told = whole.length > 0 ? whole : lacking;
  const paths = whole.length > 0 ? [FOLDER] : [...new Set(lacking.flatMap(({ path }) => path ?? []))];
  const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
  return warning(
    "FACT010",
    "Required",
    "",
    `${paths.join(", ")} ${paths.length === 1 ? "is" : "are"} not generated, because something is missing: ${unique(told.map(({ what }) => what)).join("; ")}`,
    {
      file: paths[0] ?? FOLDER,
      hint: `${unique(told.map(({ hint }) => hint)).join("; ")}; only openshift-install create cluster needs the folder`,
    },
  );
}

/** In the order of paths; of two objects for one file the later one counts, as with the installer. */
const filesOf = (render: Renderer, renderings: readonly Rendering[]): OutputFile[] => {
  const byPath = new Map(renderings.map((each) => [each.path, each]));
  return [...byPath.values()]
    .map(({ template, view, path, secret = false }) => render.file(template, view, path, { secret }))
    .sort((a, b) => byCodeUnit(a.path, b.path));
};
