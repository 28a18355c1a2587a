import { shippedKinds } from "../../charts/bindings-delivery.ts";
import { runOperator } from "../../index.ts";
import { sharedGroup, stampIn } from "../../test/cluster/stamp-kind.ts";

/** The operator that ships, and Stamps: children that nothing else in the cluster reads. */
process.exitCode = await runOperator({ kinds: [...shippedKinds, stampIn(sharedGroup)] });
