import { runOperator } from "../../index.ts";
import { pin } from "./pin-kind.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** Stamps have ConfigMaps: by these it is seen whether fences are in force. */
process.exitCode = await runOperator({ kinds: [stampIn(sharedGroup), pin] });
