// Run in a context whose program imports fairlead/delivery; its cdk8s is the one that is there already.
import * as delivery from "../../../../constructs/delivery/index.ts";
import type { Harness } from "./harness.ts";

declare const __fairlead: Harness;
__fairlead.define("fairlead/delivery", () => delivery);
