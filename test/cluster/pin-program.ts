import { runOperator } from "../../index.ts";
import { pin } from "./pin-kind.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** Stamps have ConfigMaps, with which the tests verify that fences are in force. */
process.exitCode = await runOperator({ kinds: [stampIn(sharedGroup), pin] });
