import { runKillSuite } from "../kill-suite.ts";
import { playPoints } from "./play-points.ts";
import { makePoints } from "./points.ts";
import { createReleaseWorld } from "./release-world.ts";

const code = await runKillSuite({
  name: "release-kills",
  verdict: "every object was tracked",
  createWorld: createReleaseWorld,
  ...{ makePoints, playPoints },
});
process.exit(code);
