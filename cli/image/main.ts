// The program of the image: `fairlead run` for the kinds that ship, or the main process of a zone, and nothing else of the
// command line. Each part is loaded where it is needed: a zone has nothing of the operator in memory.
import { runZone } from "../../operator/compose/run-zone.ts";

const zone = runZone(process.argv);
if (zone === undefined) {
  const { runImageOperator } = await import("./run-operator.ts");
  process.exitCode = await runImageOperator();
} else process.exitCode = await zone;
