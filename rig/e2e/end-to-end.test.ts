import { afterAll, beforeAll, describe, inject } from "vitest";
import { createSecrets, installOperator } from "./operator.ts";
import { type Stack, startStack } from "./stack.ts";
import { failoverTests } from "./tests/failover.ts";
import { installationTests } from "./tests/installation.ts";
import { isolationTests } from "./tests/isolation.ts";
import { applySamples, kindTests, scheduledEchoTests } from "./tests/kinds.ts";
import { observabilityTests } from "./tests/observability.ts";
import { upgradeTests } from "./tests/upgrade.ts";

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

  installationTests(stack);
  isolationTests(stack);
  kindTests(stack);
  observabilityTests(stack);
  failoverTests(stack);
  upgradeTests(stack);
  scheduledEchoTests(stack);
});
