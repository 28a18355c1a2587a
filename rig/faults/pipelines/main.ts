import { runKillSuite } from "../kill-suite.ts";
import { createPipelineSetup } from "./pipeline-setup.ts";
import { makePoints } from "./points.ts";
import { runPoints } from "./run-points.ts";

const code = await runKillSuite({
  name: "pipeline-kills",
  verdict: "no action was repeated or too early",
  createSharedSetup: createPipelineSetup,
  ...{ makePoints, runPoints },
});
process.exit(code);
