// Run in a context whose program imports zod, for the schema of its inputs.
import * as zod from "zod";
import type { Harness } from "./harness.ts";

declare const __fairlead: Harness;
__fairlead.define("zod", () => zod);
