// Run in a context whose program imports fairlead/delivery; it uses the cdk8s of that context.
import * as delivery from "../../../../constructs/delivery/index.ts";
import type { Harness } from "./harness.ts";

declare const __fairlead: Harness;
__fairlead.define("fairlead/delivery", () => delivery);
