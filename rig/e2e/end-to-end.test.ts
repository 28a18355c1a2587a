import { afterAll, beforeAll, describe, inject } from "vitest";
import { createSecrets, installOperator } from "./operator.ts";
import { type Stack, startStack } from "./stack.ts";
import { failoverStory } from "./stories/failover.ts";
import { installedStories } from "./stories/installed.ts";
import { applySamples, kindStories, scheduledEchoStory } from "./stories/kinds.ts";
import { upgradeStory } from "./stories/upgrade.ts";
import { walledStories } from "./stories/walled.ts";
import { watchedStories } from "./stories/watched.ts";

const prepared = inject("endToEnd");

describe.skipIf(prepared.missing !== undefined)("on real containers", () => {
  let running: Stack | undefined;
  const stack = () => {
    if (running === undefined) throw new Error("The node did not start");
    return running;
  };

  beforeAll(async () => {
    if (prepared.missing !== undefined) return;
    running = await startStack(prepared);
    await createSecrets(running);
    await installOperator(running, { repository: "https" });
    await applySamples(running);
  });
  afterAll(() => running?.stop());

  installedStories(stack);
  walledStories(stack);
  kindStories(stack);
  watchedStories(stack);
  failoverStory(stack);
  upgradeStory(stack);
  scheduledEchoStory(stack);
});
