import { runKillSuite } from "../kill-suite.ts";
import { makePoints } from "./points.ts";
import { createReleaseSetup } from "./release-setup.ts";
import { runPoints } from "./run-points.ts";

const code = await runKillSuite({
  name: "release-kills",
  description: "Kills an operator at random points while it deploys Releases.",
  verdict: "every object was tracked",
  createSharedSetup: createReleaseSetup,
  ...{ makePoints, runPoints },
});
process.exit(code);
