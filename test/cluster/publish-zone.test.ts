import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { childrenOf, isAlive } from "../fakes/processes.ts";
import { eventually } from "./fixture.ts";
import type { RunningOperator } from "./operator.ts";
import { aStampHarness, manyNames } from "./stamps.ts";

/** The process of the publish zone that an operator started; undefined: there is none. */
function publishZoneOf({ pid }: RunningOperator): number | undefined {
  return childrenOf(pid).find((child) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, "latin1").includes("/publish-worker.mjs");
    } catch {
      // It has ended in the meantime.
      return false;
    }
  });
}

test("git runs in a separate process, which may crash or hang at any time", async () => {
  const harness = await aStampHarness();
  const { repository } = harness;
  const names = manyNames(5);
  await harness.apply(names, { text: "one" });
  const operator = await harness.start();
  await harness.untilSettled(names.length);
  const zone = publishZoneOf(operator) ?? 0;
  const variables = readFileSync(`/proc/${zone}/environ`, "utf8").split("\0").filter(Boolean);
  expect(variables.map((line) => line.split("=")[0])).not.toContain("HOME");
  expect(variables.join()).not.toMatch(/kube/i);

  // An edit while it is down is committed after its restart, and once.
  const commits = repository.commits();
  process.kill(zone, "SIGKILL");
  await harness.apply(["stamp-0"], { text: "two" });
  await harness.untilSettled(names.length);
  await operator.untilLogged("A process of a zone ended, restarting it");
  expect(repository.commits()).toBe(commits + 1);

  // While it hangs, edits are applied.
  const second = publishZoneOf(operator) ?? 0;
  process.kill(second, "SIGSTOP");
  await harness.apply(["stamp-1"], { text: "three" });
  await eventually(
    async () => (await harness.children()).some((child) => JSON.stringify(child).includes("three")),
    { what: "the edit is applied" },
  );
  expect(repository.commits()).toBe(commits + 1);
  process.kill(second, "SIGCONT");
  await harness.untilSettled(names.length);
  expect(repository.commits()).toBe(commits + 2);

  await operator.stop("SIGKILL");
  await eventually(() => !isAlive(second), { what: "the zone ends with the operator" });
});
