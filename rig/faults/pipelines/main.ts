import { runKillSuite } from "../kill-suite.ts";
import { createPipelineWorld } from "./pipeline-world.ts";
import { playPoints } from "./play-points.ts";
import { makePoints } from "./points.ts";

const code = await runKillSuite({
  name: "pipeline-kills",
  verdict: "nothing was done twice or too early",
  createWorld: createPipelineWorld,
  ...{ makePoints, playPoints },
});
process.exit(code);
