import { expect, test } from "vitest";
import { type RollbackFlags, rollbackCommand, runRollback } from "../../../cli/commands/rollback.ts";

/** The message of a rollback that is refused before the API server is asked. */
async function refusal(flags: RollbackFlags): Promise<unknown> {
  const kubeconfig = "/does/not/exist";
  const screen = { print: () => {}, withProgress: () => Promise.reject(new Error("unused")) };
  return await runRollback({ name: "shop", revision: undefined }, { kubeconfig, ...flags }, screen).catch(
    (error: Error) => error.message,
  );
}

test("rollback of a stage takes the gates to skip, as promote does", () => {
  const option = rollbackCommand().options.find(({ long }) => long === "--bypass");
  expect(option?.variadic).toBe(true);
  expect(option?.argChoices).toContain("Approvals");
});

test("rollback needs a reason to skip gates, and a stage whose gates they are", async () => {
  expect(await refusal({ stage: "prod", bypass: ["Approvals"] })).toBe(
    "Cannot roll back: --bypass needs --reason",
  );
  expect(await refusal({ bypass: ["Approvals"] })).toBe(
    "Cannot roll back: --bypass and --reason need --stage",
  );
  expect(await refusal({ reason: "outage" })).toBe("Cannot roll back: --bypass and --reason need --stage");
  expect(await refusal({ stage: "prod", wait: true })).toMatch(/--stage cannot be used with/);
});
