// Written by hand; only two declarations are generated.
import { serve } from "./server.js";

export type GateName =
    | "CachedLists"
    | "FractionalShares"
    | "OldRotation";

function table() {
    // The comment and the odd   spacing stay.
    const gates = {
        /**
         * Answers lists from a cache.
         * Owned by storage-team.
         * Alpha 1.31 off, Beta 1.33 on, GA 1.35 on locked.
         */
        CachedLists: {
            specs: [
                { version: "1.31", stage: "Alpha", default: false, locked: false },
                { version: "1.33", stage: "Beta", default: true, locked: false },
                { version: "1.35", stage: "GA", default: true, locked: true },
            ],
        },
        /**
         * Lets a request name a part of a device.
         * Owned by scheduling-team.
         * Used by kube-apiserver, kube-scheduler.
         * Alpha 1.34 off, Beta 1.36 off, Beta 1.36 on from minimum 1.36.
         * Requires CachedLists.
         */
        FractionalShares: {
            specs: [
                { version: "1.34", stage: "Alpha", default: false, locked: false },
                { version: "1.36", stage: "Beta", default: false, locked: false },
                { version: "1.36", stage: "Beta", default: true, locked: false, minCompatibility: "1.36" },
            ],
            dependencies: ["CachedLists"],
            capabilities: {
                /** Change: api. */
                rounding: { since: "1.35" },
                /** Change: supported-systems. */
                "linux-only": { since: "1.34", until: "1.36" },
            },
        },
        /**
         * Rotates keys the old way.
         * GA 1.0 on, Deprecated 1.34 off, Deprecated 1.36 off locked.
         */
        OldRotation: {
            specs: [
                { version: "1.0", stage: "GA", default: true, locked: false },
                { version: "1.34", stage: "Deprecated", default: false, locked: false },
                { version: "1.36", stage: "Deprecated", default: false, locked: true },
            ],
        },
    } as const;
    return gates;
}

serve(table());
