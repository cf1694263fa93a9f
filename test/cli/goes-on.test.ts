/** The real installer goes on from directories of clouds, without an account: what it would ask for is in the state. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { RELEASE_IMAGE } from "../helpers/ignition.js";
import { skipTest } from "../helpers/shared.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("cli/goes-on");

/** An openshift-install of the release, with its variables beside it where it is a build without embedded data. */
const installer = process.env["SLIPWAY_UPSTREAM_INSTALLER"];
const release = process.env["SLIPWAY_UPSTREAM_RELEASE"] ?? "4.22";

/** The example of each cloud, with its file of credentials. */
const CLOUDS: Readonly<Record<string, string | undefined>> = {
  aws: undefined,
  "azure-network": "service-principal.json",
  gcp: undefined,
  ibmcloud: undefined,
  openstack: "clouds.yaml",
};

for (const [example, credentials] of Object.entries(CLOUDS)) {
  const title = `${example}: the installer takes over manifests and Ignition configs without an account`;
  if (installer === undefined) skipTest(test, title, "SLIPWAY_UPSTREAM_INSTALLER names no installer");
  else
    test(title, () => {
      const dir = tempFolder();
      cpSync(join("examples", example, "install-config.yaml"), join(dir, "install-config.yaml"));
      const { code, stderr } = slipway([
        ...["create", "manifests", "--dir", dir, "--release", release],
        ...["--facts", join("examples", example, "facts.yaml")],
        ...(credentials === undefined ? [] : ["--credentials", join("examples", example, credentials)]),
      ]);
      assert.is(code, 0, stderr);
      rmSync(join(dir, "install-config.yaml"));
      const before = readTree(dir);
      const home = tempFolder();
      mkdirSync(join(home, "empty"));
      const install = (target: string): void => {
        const own = Object.entries(process.env).filter(([name]) => name.startsWith("OPENSHIFT_INSTALL_"));
        const result = spawnSync(resolve(installer), ["create", target, "--dir", dir], {
          cwd: process.env["SLIPWAY_UPSTREAM_CWD"] ?? home,
          encoding: "utf8",
          input: "",
          env: {
            PATH: process.env["PATH"],
            HOME: join(home, "empty"),
            OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE: RELEASE_IMAGE,
            ...Object.fromEntries(own),
          },
        });
        assert.is(result.status, 0, result.stderr);
      };
      install("manifests");
      const after = readTree(dir);
      for (const [path, data] of before)
        if (/^(?:manifests|openshift|cluster-api)\//.test(path)) assert.equal(after.get(path), data, path);
      install("ignition-configs");
      assert.ok(readTree(dir).has("bootstrap.ign"));
    });
}

test.run();
