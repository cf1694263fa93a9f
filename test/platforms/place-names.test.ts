/** Regions and zones that no cloud has, because no object could be named after them: refused before anything is named. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PLATFORMS } from "../../src/platforms/registry.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("place names");

/** As a portal writes a region, and as an API does that asks for none. */
const ODD = [(name: string) => name.toUpperCase(), (name: string) => name.replace(/^(..)/, "$1 ")];

for (const [name, { traits }] of Object.entries(PLATFORMS))
  if (traits.inNames !== undefined)
    test(name, () => {
      for (const odd of ODD) {
        const folder = join(tempFolder(), "cluster");
        cpSync(join("examples", name), folder, { recursive: true });
        const config = readFileSync(join(folder, "install-config.yaml"), "utf8");
        const region = /^ +region: *(\S+)/m.exec(config)?.[1] ?? "";
        assert.is.not(region, "");
        for (const file of readdirSync(folder).filter((each) => each.endsWith(".yaml"))) {
          const text = readFileSync(join(folder, file), "utf8");
          writeFileSync(join(folder, file), text.replaceAll(region, odd(region)));
        }
        const { code, stderr } = slipway([
          ...["create", "manifests", "--dir", folder, "--facts", join(folder, "facts.yaml")],
          ...["--key-algorithm", "ecdsa-p256"],
        ]);
        assert.is(code, 1, stderr);
        assert.match(
          stderr,
          new RegExp(`error FACT00[28]: platform\\.${name}\\.region: invalid region name`),
        );
      }
    });

test.run();
