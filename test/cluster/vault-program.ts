import { runOperator } from "../../index.ts";
import { vault } from "./vault-kind.ts";

process.exitCode = await runOperator({ kinds: [vault] });
