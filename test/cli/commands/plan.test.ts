import { expect, test } from "vitest";
import { runPlan } from "../../../cli/commands/plan.ts";
import { runVerify } from "../../../cli/commands/verify.ts";

const screen = { print: () => {} };
// No cluster is contacted: there is no such file.
const nowhere = { kubeconfig: "/nonexistent/kubeconfig" };

test("an empty --source, such as an unset variable, is not the current folder", async () => {
  await expect(runPlan("shop", { ...nowhere, source: "", kinds: [] }, screen)).rejects.toThrow(
    "Cannot plan: --source is empty; expected a folder",
  );
  await expect(
    runVerify({ name: "shop", stage: "prod" }, { ...nowhere, source: "" }, screen),
  ).rejects.toThrow("Cannot verify: --source is empty; expected a folder");
});
