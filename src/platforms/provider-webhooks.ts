/** What the webhooks of infrastructure providers refuse, of any platform; each knows its own objects by their group. */
import type { JsonObject } from "../core/json.js";
import type { Found } from "../core/problem.js";
import { webhookFindings as aws } from "./aws/infrastructure/webhook-rules.js";
import { webhookFindings as azure } from "./azure/infrastructure/webhook-rules.js";
import { webhookFindings as baremetal } from "./baremetal/webhook-rules.js";
import { webhookFindings as gcp } from "./gcp/webhook-rules.js";
import { webhookFindings as ibmcloud } from "./ibmcloud/infrastructure/webhook-rules.js";
import { webhookFindings as openstack } from "./openstack/webhook-rules.js";
import { webhookFindings as powervs } from "./powervs/infrastructure/webhook-rules.js";
import { webhookFindings as vsphere } from "./vsphere/infrastructure/webhook-rules.js";

export const webhookFindings = (object: JsonObject): readonly Found[] =>
  [aws, azure, baremetal, gcp, ibmcloud, openstack, powervs, vsphere].flatMap((each) => each(object));
