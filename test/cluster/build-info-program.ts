import { runOperator } from "../../index.ts";
import { buildInfo } from "../examples/build-info.ts";

process.exitCode = await runOperator({ kinds: [buildInfo] });
