import { deliveryKinds } from "../../charts/bindings-delivery.ts";
import { runOperator } from "../../index.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** Stamps have ConfigMaps: by these it is seen whether fences are in force. */
process.exitCode = await runOperator({ kinds: [stampIn(sharedGroup), ...deliveryKinds] });
