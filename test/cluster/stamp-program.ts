import { runOperator } from "../../index.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** An operator of somebody's own, started as they would start it. `STAMP_GROUPS`: where its Stamps are. */
const groups = process.env["STAMP_GROUPS"]?.split(",") ?? [sharedGroup];
process.exitCode = await runOperator({ kinds: groups.map(stampIn) });
