/** What is left to do with Ignition configs: whatever is handed on is named where it lies in the open. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type NextStepsInput, nextSteps } from "../../../src/phases/ignition-configs/next-steps.js";
import type { NextStep } from "../../../src/phases/next-step.js";

const test = suite("next steps after ignition-configs");

const SECRET = /bootstrap|^auth\/|-shim\.ign$|^data-secrets\//;
const steps = (paths: readonly string[], more: Partial<NextStepsInput> = {}): ReadonlyMap<string, NextStep> =>
  new Map(
    nextSteps({
      directory: "clusters/heron",
      now: new Date(0),
      fixedClock: false,
      useBefore: undefined,
      files: ["auth/kubeconfig", "bootstrap.ign", "master.ign", "worker.ign", ...paths].map((path) => ({
        path,
        secret: SECRET.test(path),
      })),
      sealed: false,
      boots: true,
      ...more,
    }).map((step) => [step.id, step]),
  );
const what = (of: ReadonlyMap<string, NextStep>, id: NextStep["id"]): string => of.get(id)?.what ?? "";
const commands = (of: ReadonlyMap<string, NextStep>): string =>
  [...of.values()].flatMap((step) => step.commands).join("\n");

test("the copy for the installer is named after the directory", () => {
  for (const [directory, folder] of [
    ["clusters/heron", "clusters/heron-completed"],
    ["clusters/heron/", "clusters/heron-completed"],
    ["my heron", "'my heron-completed'"],
    ["-heron", "./-heron-completed"],
    [".", "completed"],
    ["..", "../completed"],
    ["a/../", "a/../completed"],
    ["/", "/completed"],
  ] as const) {
    const [command = ""] = steps([], { directory }).get("installer")?.commands ?? [];
    assert.ok(command.startsWith(`mkdir -m 0700 ${folder} &&\n`), command);
    assert.ok(command.endsWith(` &&\nopenshift-install create ignition-configs --dir ${folder}`), command);
  }
});

test("encrypted files are decrypted before anybody gets them", () => {
  const shims = ["bootstrap-shim.ign", "data-secrets/master.yaml"];
  assert.not.match(commands(steps(shims)), /sops/);
  const sealed = steps(shims, { sealed: true });
  const [decrypt = ""] = sealed.get("decrypt")?.commands ?? [];
  for (const [path, name] of [
    ["auth/kubeconfig", "kubeconfig"],
    ["bootstrap.ign", "bootstrap.ign"],
    ["bootstrap-shim.ign", "bootstrap-shim.ign"],
  ])
    assert.ok(
      decrypt.includes(
        `sops decrypt --input-type binary --output-type binary clusters/heron/${path} > clusters/heron-plain/${name}`,
      ),
      path,
    );
  assert.match(what(sealed, "bootstrap"), /^Upload clusters\/heron-plain\/bootstrap\.ign to/);
  assert.match(what(sealed, "bootstrap"), /with clusters\/heron-plain\/bootstrap-shim\.ign\./);
  assert.match(commands(sealed), /--kubeconfig clusters\/heron-plain\/kubeconfig get csr/);
  assert.match(
    commands(sealed),
    /for file in clusters\/heron\/data-secrets\/master\.yaml; do sops decrypt "\$file" \|/,
  );
  // In the open as well: what everybody may read.
  assert.not.match(decrypt, /master\.ign/);
  // The release's own installer writes this one, in the open.
  const left = steps([], { sealed: true, boots: false });
  assert.not.match(commands(left), /heron\/bootstrap\.ign/);
  assert.match(
    what(left, "bootstrap"),
    /^Start the bootstrap machine with clusters\/heron-completed\/bootstrap\.ign\./,
  );
  const inPlace = steps(["bootstrap-in-place-for-live-iso.ign"], {
    sealed: true,
    installationDisk: "/dev/sda",
  });
  assert.match(
    commands(inPlace),
    /--ignition-file clusters\/heron-plain\/bootstrap-in-place-for-live-iso\.ign /,
  );
});

test("keys that the installer does not go on from are not handed to it", () => {
  const own = steps([], { notForInstaller: true });
  assert.not.match(commands(own), /openshift-install/);
  assert.match(what(own, "bootstrap"), /^Start the bootstrap machine with bootstrap\.ign\./);
  const left = steps([], { notForInstaller: true, boots: false });
  assert.equal([...left.keys()], ["installer"]);
  assert.match(what(left, "installer"), /^Create the cluster again in another directory/);
  const inPlace = steps([], { notForInstaller: true, installationDisk: "/dev/sda" });
  assert.not.match(what(inPlace, "embed"), /openshift-install generated/);
});

test("machines that the bootstrap machine starts are not started by hand", () => {
  const started = { files: ["openshift/99_hosts-0.yaml"], program: "Ironic", reaches: "the BMCs" };
  const of = steps([], { started });
  assert.match(what(of, "machines"), /^Do not start .* installs them from openshift\/99_hosts-0\.yaml/);
  assert.match(what(of, "bootstrap"), "reaches the BMCs");
  assert.match(what(of, "wait"), "then shut down the bootstrap machine");
});

test("machines with a shim are started with it", () => {
  const bare = steps([]);
  assert.match(what(bare, "bootstrap"), /^Start the bootstrap machine with /);
  assert.is(what(bare, "machines"), "Start the other machines with master.ign, worker.ign");
  assert.not.ok(bare.has("data-secrets"));
  const shims = steps(["bootstrap-shim.ign", "master-shim.ign"]);
  assert.match(
    what(shims, "bootstrap"),
    /^Upload bootstrap\.ign to the URL .* start the bootstrap machine with bootstrap-shim\.ign\./,
  );
  assert.match(what(shims, "machines"), /^Upload master\.ign to .* with master-shim\.ign, worker\.ign$/);
});

test("Secrets of Cluster API are applied, except for one whose config is not complete", () => {
  const secrets = ["data-secrets/bootstrap.yaml", "data-secrets/master.yaml"];
  const both =
    "kubectl apply --server-side -f clusters/heron/data-secrets/bootstrap.yaml -f clusters/heron/data-secrets/master.yaml";
  assert.equal(steps(secrets).get("data-secrets")?.commands, [both]);
  const left = steps(secrets, { boots: false });
  assert.equal(left.get("data-secrets")?.commands, [
    "kubectl apply --server-side -f clusters/heron/data-secrets/master.yaml",
  ]);
  assert.match(what(left, "data-secrets"), /bootstrap\.yaml contains an incomplete config/);
  const shim = steps([...secrets, "bootstrap-shim.ign"], { boots: false });
  assert.equal(shim.get("data-secrets")?.commands, [both]);
});

test.run();
