import { runOperator } from "../../index.ts";
import { gallery } from "./gallery-kind.ts";

process.exitCode = await runOperator({ kinds: [gallery] });
