/** Flags of `slipway create agent-config`. */
import { text } from "../../flags.js";

export const rendezvousIP = text(
  "rendezvous-ip",
  "address of the control plane host that installs the others",
  { value: "IP" },
);
