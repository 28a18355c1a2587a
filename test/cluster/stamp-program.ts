import { runOperator } from "../../index.ts";
import { stamp } from "./stamp-kind.ts";

/** An operator of somebody's own, started as they would start it. */
process.exitCode = await runOperator({ kinds: [stamp] });
