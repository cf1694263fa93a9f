/** No secret of an install-config reaches a message, whatever is wrong with it. */
import { test } from "uvu";
import * as assert from "uvu/assert";
import { formatDiagnostic } from "../../../src/core/diagnostics.js";
import { type Edits, EXTERNAL, edit, judge, NONE } from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";

const secret = PLANTED.pullSecretAuth;
const proxy = (url: string): Edits => ({ "proxy.httpProxy": url, "proxy.httpsProxy": url });
const fenced = (address: string): Edits => ({
  "controlPlane.replicas": 2,
  "controlPlane.fencing.credentials": [
    { hostName: "a", username: PLANTED.token, password: PLANTED.password, address },
    { hostName: "a", username: PLANTED.token, password: PLANTED.password, address },
  ],
});

const CASES: readonly (readonly [title: string, edits: Edits])[] = [
  ["a pull secret that is not JSON", { pullSecret: `{auths: ${secret}}` }],
  ["a pull secret that is a text", { pullSecret: JSON.stringify(secret) }],
  ["auths that are a text", { pullSecret: JSON.stringify({ auths: secret }) }],
  ["an entry that is a text", { pullSecret: JSON.stringify({ auths: { a: secret } }) }],
  ["an auth that cannot be decoded", { pullSecret: JSON.stringify({ auths: { a: { auth: secret } } }) }],
  ["an SSH key with a broken blob", { sshKey: `ssh-rsa ${PLANTED.sshKeyComment}` }],
  ["a proxy with a wrong scheme", proxy(`ftp://user:${PLANTED.proxyPassword}@h:1`)],
  ["a proxy without a scheme", proxy(`user:${PLANTED.proxyPassword}@h:1`)],
  ["a proxy that is not a URL", proxy(`http://user:${PLANTED.proxyPassword}%@h:1`)],
  ["a proxy inside the cluster", proxy(`http://user:${PLANTED.proxyPassword}@10.132.0.1:1`)],
  ["fencing with an address that is none", fenced(`http://user:${PLANTED.password}@[::1`)],
  ["fencing by IPMI", fenced(`ipmi://user:${PLANTED.password}@h`)],
  ["fencing without a port", fenced(`foo://user:${PLANTED.password}@h/redfish`)],
  ["noProxy with a URL", { "proxy.noProxy": `http://user:${PLANTED.proxyPassword}@h` }],
];

for (const config of [NONE, EXTERNAL])
  for (const [title, edits] of CASES)
    test(title, () => {
      const { diagnostics } = judge(edit(config, edits));
      assert.ok(diagnostics.length > 0);
      const said = diagnostics.map(formatDiagnostic).join("\n");
      for (const planted of Object.values(PLANTED)) {
        assert.not.match(said, planted);
        assert.not.match(said, Buffer.from(planted).toString("base64").slice(0, -4));
      }
    });

test.run();
