// The program of the image: `fairlead run` for the built-in kinds, or the main process of a zone, without the other
// commands. Each part is loaded when it is needed: a zone does not load the operator.
import { runZone } from "../../operator/compose/run-zone.ts";

const zone = runZone(process.argv);
if (zone === undefined) {
  const { runImageOperator } = await import("./run-operator.ts");
  process.exitCode = await runImageOperator();
} else process.exitCode = await zone;
