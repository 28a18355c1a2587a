import { runOperator } from "../../index.ts";
import { pin } from "./pin-kind.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** The tests verify with the ConfigMaps of Stamps that fences are in force. */
process.exitCode = await runOperator({ kinds: [stampIn(sharedGroup), pin] });
