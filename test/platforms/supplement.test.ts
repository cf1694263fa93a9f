/** The supplement is committed and printed: what a config's addresses hold of logins stays out of it. */
import { test } from "uvu";
import * as assert from "uvu/assert";
import { committable } from "../../src/platforms/supplement.js";
import { PLANTED } from "../helpers/planted.js";

test("no login or signature of an address gets into the supplement; the rest stays", () => {
  const address = `https://user:${PLANTED.cloudSecretKey}@iam.example.net/v1`;
  const [item] = committable([
    {
      area: "provider",
      when: "before",
      what: `Reach ${address}.`,
      why: `Of ${address}`,
      details: {
        environment: `IBMCLOUD_AUTH_URL=${address} SERVICE_ENDPOINT=eu-gb:vpc=${address},cos=https://cos.example.net`,
        nested: [{ url: address }, address],
        count: 3,
        mail: "somebody@example.net",
        image: `https://images.example.net/rhcos.vhd?sv=2024&sig=${PLANTED.cloudSecretKey}&se=2027`,
      },
    },
  ]);
  const hidden = "https://<redacted>@iam.example.net/v1";
  assert.equal(item, {
    area: "provider",
    when: "before",
    what: `Reach ${hidden}.`,
    why: `Of ${hidden}`,
    details: {
      environment: `IBMCLOUD_AUTH_URL=${hidden} SERVICE_ENDPOINT=eu-gb:vpc=${hidden},cos=https://cos.example.net`,
      nested: [{ url: hidden }, hidden],
      count: 3,
      mail: "somebody@example.net",
      image: "https://images.example.net/rhcos.vhd?sv=2024&sig=<redacted>&se=2027",
    },
  });
});

test.run();
