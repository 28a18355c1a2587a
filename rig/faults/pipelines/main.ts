import { runKillSuite } from "../kill-suite.ts";
import { createPipelineSetup } from "./pipeline-setup.ts";
import { makePoints } from "./points.ts";
import { runPoints } from "./run-points.ts";

const code = await runKillSuite({
  name: "pipeline-kills",
  description: "Kills an operator at random writes while a Pipeline of three stages promotes commits.",
  verdict: "no action was repeated or too early",
  createSharedSetup: createPipelineSetup,
  ...{ makePoints, runPoints },
});
process.exit(code);
