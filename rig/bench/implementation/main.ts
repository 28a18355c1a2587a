import { runOperator } from "../../../index.ts";
import { readArguments } from "./arguments.ts";
import { benchSet } from "./bench-set.ts";
import { watchSlices } from "./slices.ts";

/** Our implementation: an operator that is built with the package like a user's, and bundled as for an image. */
const slicesFile = process.env["BENCH_SLICES"];
const writeSlices = slicesFile === undefined ? undefined : watchSlices(slicesFile);
process.exitCode = await runOperator({ kinds: [benchSet], options: readArguments(process.argv.slice(2)) });
writeSlices?.();
