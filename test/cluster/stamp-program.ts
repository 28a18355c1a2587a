import { runOperator } from "../../index.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

/** A user's own operator, started as a user starts it. `STAMP_GROUPS`: where its Stamps are. */
const groups = process.env["STAMP_GROUPS"]?.split(",") ?? [sharedGroup];
process.exitCode = await runOperator({ kinds: groups.map(stampIn) });
