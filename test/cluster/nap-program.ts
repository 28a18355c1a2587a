import { runOperator } from "../../index.ts";
import { nap } from "../examples/nap.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** Stamps have ConfigMaps, with which the tests verify that fences are in force. */
process.exitCode = await runOperator({ kinds: [stampIn(sharedGroup), nap] });
