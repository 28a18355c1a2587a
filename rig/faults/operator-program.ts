import { shippedKinds } from "../../charts/bindings-delivery.ts";
import { runOperator } from "../../index.ts";
import { sharedGroup, stampIn } from "../../test/cluster/stamp-kind.ts";

/** The shipped operator with Stamps, whose children no other controller in the cluster reads. */
process.exitCode = await runOperator({ kinds: [...shippedKinds, stampIn(sharedGroup)] });
