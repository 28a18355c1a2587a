// An operator with no kinds, as a user would bundle it.
import { runOperator } from "../../index.ts";

process.exitCode = await runOperator({ kinds: [] });
