import { runOperator } from "../../index.ts";
import { attempt } from "../fakes/attempt-kind.ts";

process.exitCode = await runOperator({ kinds: [attempt] });
