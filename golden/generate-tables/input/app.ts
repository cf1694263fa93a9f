// Written by hand; only two declarations are generated.
import { serve } from "./server.js";

export type GateName = "CachedLists";

function table() {
    // The comment and the odd   spacing stay.
    const gates = { CachedLists: null } as const;
    return gates;
}

serve(table());
