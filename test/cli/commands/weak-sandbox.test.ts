import { describe, expect, test } from "vitest";
import { runDiff } from "../../../cli/commands/diff.ts";
import { runPlan } from "../../../cli/commands/plan.ts";
import { runVerify } from "../../../cli/commands/verify.ts";
import { removeLauncher } from "../without-launcher.ts";

const screen = { print: () => {} };
// No cluster is contacted and no file is read: they do not exist.
const nowhere = { kubeconfig: "/nonexistent/kubeconfig", kinds: [] };
const [source, file] = ["/nonexistent/folder", "./nonexistent.yaml"];
const stage = { name: "shop", stage: "prod" };
const missing = "the launcher is not installed (missing: no-new-privileges, files, tcp, scopes, seccomp)";

describe("without any layer of isolation", () => {
  test.for([
    { what: "diff", run: (more: object) => runDiff("web", { ...nowhere, ...more }, screen) },
    { what: "plan", run: (more: object) => runPlan("shop", { ...nowhere, ...more }, screen) },
    { what: "verify", run: (more: object) => runVerify(stage, { ...nowhere, ...more }, screen) },
  ])("$what refuses a source from git, unless --weak-sandbox is given", async ({ run }) => {
    removeLauncher();
    const refusal = { name: "WeakSandboxError", message: expect.stringContaining(missing) };
    await expect(run({})).rejects.toMatchObject(refusal);
    await expect(run({})).rejects.toThrow(/a source that is not a local folder.*--weak-sandbox$/);
    await expect(run({ weakSandbox: true })).rejects.toThrow("/nonexistent/kubeconfig");
  });

  test.for([
    { what: "diff --source", run: (more: object) => runDiff("web", { ...nowhere, source, ...more }, screen) },
    { what: "diff of a file", run: (more: object) => runDiff(file, { ...nowhere, ...more }, screen) },
    {
      what: "plan --source",
      run: (more: object) => runPlan("shop", { ...nowhere, source, ...more }, screen),
    },
    {
      what: "verify --source",
      run: (more: object) => runVerify(stage, { ...nowhere, source, ...more }, screen),
    },
  ])("$what is refused only in CI, unless --weak-sandbox is given", async ({ run }) => {
    removeLauncher({ ci: "true" });
    await expect(run({})).rejects.toMatchObject({
      name: "WeakSandboxError",
      message: expect.stringMatching(/because CI is set: .*--weak-sandbox$/),
    });
    await expect(run({ weakSandbox: true })).rejects.toThrow("/nonexistent/kubeconfig");
    removeLauncher();
    await expect(run({})).rejects.toThrow("/nonexistent/kubeconfig");
  });
});
