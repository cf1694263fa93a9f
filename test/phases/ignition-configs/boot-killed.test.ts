/** The boot script is killed wherever it can be: what is finished stays, and the end is the same as without it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { stepsOf } from "../../../src/phases/ignition-configs/boot/steps.js";
import { BootstrapNode, bootInput, noBash, startedSteps } from "../../helpers/bootstrap-node.js";
import { skipTest } from "../../helpers/shared.js";
import { readModes, readTree } from "../../helpers/temp.js";

const test = suite("slipway-boot, killed");

const scripted = (name: string, body: () => Promise<void>) =>
  noBash === undefined ? test(name, body) : skipTest(test, name, noBash);

/** Everything on the node, without what differs by time or by test. */
function tree(node: BootstrapNode): { [path: string]: string } {
  const modes = readModes(node.root);
  const files = [...readTree(node.root)].filter(([path]) => !path.startsWith("fakes/"));
  return Object.fromEntries(files.map(([path, data]) => [path, `${modes.get(path)?.toString(8)} ${data}`]));
}

const ends = new Map<string, Promise<{ [path: string]: string }>>();

async function endOf(release: string): Promise<{ [path: string]: string }> {
  const node = new BootstrapNode(bootInput(release));
  const { code, output } = await node.boot();
  assert.is(code, 0, output);
  return tree(node);
}

/** The node after a run that nothing disturbed. */
function undisturbed(release: string): Promise<{ [path: string]: string }> {
  const end = ends.get(release) ?? endOf(release);
  ends.set(release, end);
  return end;
}

for (const release of ["4.18", "4.20", "4.22"])
  scripted(
    `${release}: killed before a step leaves its mark, and that for every step: nothing finished is repeated`,
    async () => {
      const node = new BootstrapNode(bootInput(release));
      const names = stepsOf(node.input).map(({ name }) => name);
      for (const [index, name] of names.entries()) {
        // The step that the last run was killed in is done again, and this run is killed at the end of the next one.
        const ran = await node.boot({ FAKE_KILL_SYNC: index === 0 ? "1" : "2" });
        assert.is(ran.signal, "SIGKILL", ran.output);
        assert.equal(startedSteps(ran), names.slice(Math.max(0, index - 1), index + 1));
        assert.not.ok(node.has(`opt/openshift/${name}.done`));
        assert.ok(names.slice(0, index).every((each) => node.has(`opt/openshift/${each}.done`)));
      }
      const last = await node.boot();
      assert.is(last.code, 0, last.output);
      assert.equal(startedSteps(last), names.slice(-1));
      assert.equal(tree(node), await undisturbed(release));
    },
  );

scripted(
  "killed inside the program of a step: the next run clears what it left and does the step again",
  async () => {
    const node = new BootstrapNode(bootInput("4.22"));
    for (const name of ["etcd-bootstrap", "mco-bootstrap", "cb-bootstrap"]) {
      const ran = await node.boot({ FAKE_KILL: `slipway-${name}\t` });
      assert.is(ran.signal, "SIGKILL", ran.output);
      assert.is(startedSteps(ran).at(-1), name);
      assert.not.ok(node.has(`opt/openshift/${name}.done`));
      if (name !== "cb-bootstrap") node.write(`opt/openshift/${name}/manifests/half.yaml`, "half");
    }
    const last = await node.boot();
    assert.is(last.code, 0, last.output);
    assert.is(startedSteps(last)[0], "cb-bootstrap");
    assert.equal(tree(node), await undisturbed("4.22"));
  },
);

scripted(
  "killed in the middle of a copy, again and again: every file is old or new, and the end is the same",
  async () => {
    const node = new BootstrapNode(bootInput("4.22"));
    let kills = 0;
    let code: number | null = null;
    while (code === null) {
      const ran = await node.boot({ FAKE_KILL_COPY: "1 3 6 10 16 25 37 52 70 91 115 142 172 205 241" });
      code = ran.code;
      if (code !== null) assert.is(code, 0, ran.output);
      else kills++;
      for (const [path, data] of readTree(node.root))
        if (!path.startsWith("fakes/") && !path.endsWith(".slipway-new"))
          assert.is.not(data.toString(), "half", path);
    }
    assert.ok(kills >= 7, `${kills} kills`);
    assert.equal(tree(node), await undisturbed("4.22"));
  },
);

test.run();
