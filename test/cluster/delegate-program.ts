import { runOperator } from "../../index.ts";
import { delegate } from "./delegate.ts";

process.exitCode = await runOperator({ kinds: [delegate] });
