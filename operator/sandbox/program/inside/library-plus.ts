// Run in a context whose program imports cdk8s-plus-27; it uses the cdk8s of that context.
import * as plus from "cdk8s-plus-27";
import type { Harness } from "./harness.ts";

declare const __fairlead: Harness;
__fairlead.define("cdk8s-plus-27", () => plus);
