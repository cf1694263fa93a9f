// What the sources of a release of Kubernetes say of tables/kubernetes-skew.json: which components emulate, and how
// old a kubelet and a control plane may be. The rest of that table is the published policy.
import { constantExpression } from "./go-source.mjs";

const CONSTANTS = "k8s.io/kubernetes/cmd/kubeadm/app/constants/constants.go";

/** True when the command of a component has the flags of emulation. */
function emulates(kubernetes, component) {
  const folders = [`k8s.io/kubernetes/cmd/${component}`];
  for (const folder of folders) {
    const home = kubernetes.list(folder);
    folders.push(...home.filter((name) => !/\.|^testing$/.test(name)).map((name) => `${folder}/${name}`));
    if (kubernetes.sources(folder).some((file) => /\bComponentGlobalsRegistry\b/.test(kubernetes.text(file))))
      return true;
  }
  return false;
}

/** The table, where the sources of the release agree with it. */
export function addSkew(table, kubernetes) {
  const skewOf = (name) => constantExpression(kubernetes.tokens(CONSTANTS), name).arguments[0].number;
  const found = table.components.flatMap(({ component, emulates: known, published }) => {
    const said = emulates(kubernetes, component);
    // The oldest that kubeadm of the release takes.
    const constant = { kubelet: "MinimumKubeletVersion", "kube-apiserver": "MinimumControlPlaneVersion" }[
      component
    ];
    const oldest = constant === undefined ? published.min : skewOf(constant);
    return [
      ...(said === known ? [] : [`${component} ${said ? "emulates" : "does not emulate"}`]),
      ...(oldest === published.min ? [] : [`${constant} is ${oldest}`]),
    ];
  });
  if (found.length > 0)
    throw new Error(
      `Kubernetes ${kubernetes.release}: ${found.join(", ")}; look at tables/kubernetes-skew.json`,
    );
  return table;
}
