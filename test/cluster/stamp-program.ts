import { runOperator } from "../../index.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** A user's own operator. `STAMP_GROUPS`: the groups of its Stamps. */
const groups = process.env["STAMP_GROUPS"]?.split(",") ?? [sharedGroup];
process.exitCode = await runOperator({ kinds: groups.map(stampIn) });
