import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Pipeline, type PipelineResource } from "../../crds/pipeline.ts";
import type { StageStatus } from "../../crds/pipeline-status.ts";
import { eventually, kubectl, readObject, testCluster } from "./fixture.ts";
import { seen } from "./harness.ts";
import { aPipelineHarness } from "./pipeline-harness.ts";
import { aConfigMapFile } from "./release-harness.ts";

const program = join(import.meta.dirname, "../../cli/fairlead.js");

/** Runs `fairlead` as `admin`, and returns its output. */
async function fairlead(args: readonly string[]): Promise<string> {
  const { kubeconfigPath } = testCluster();
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    ...args,
    `--kubeconfig=${kubeconfigPath}`,
  ]);
  return stdout;
}

test("a rollback to a commit that renders differently now is refused with the command that deploys it", async () => {
  // Given a Pipeline whose stages have run three commits, so that the first one is no longer a candidate
  const harness = await aPipelineHarness();
  const { namespace, untilStage } = harness;
  const commit = (version: string) =>
    harness.commit({
      "shop/dev/web.json": aConfigMapFile("web-dev", { version }),
      "shop/prod/web.json": aConfigMapFile("web-prod", { version }),
    });
  const untilBoth = async (wanted: object): Promise<void> => {
    for (const stage of ["dev", "prod"]) await untilStage("shop", stage, wanted);
  };
  const first = commit("1");
  await harness.start();
  await harness.pipeline("shop", [
    { name: "dev", releases: ["dev"] },
    { name: "prod", releases: ["prod"] },
  ]);
  await untilBoth({ phase: "Passed", running: { revision: first, proven: true } });
  for (const version of ["2", "3"])
    await untilBoth({ phase: "Passed", running: { revision: commit(version), proven: true } });
  const statusOf = async () => (await seen(Pipeline, namespace, "shop")).status as PipelineResource["status"];
  const prodOf = async (): Promise<Partial<StageStatus>> =>
    (await statusOf())?.stages?.find(({ name }) => name === "prod") ?? {};
  expect((await statusOf())?.candidates?.map(({ revision }) => revision)).not.toContain(first);
  const before = (await prodOf()).running?.digest;

  // When an input of both Releases changes, then both stages prove their commit again
  for (const stage of ["dev", "prod"])
    await kubectl([
      ...["patch", "release", `shop-${stage}`, "-n", namespace, "--type=merge"],
      ...["-p", JSON.stringify({ spec: { target: { labels: { team: "web" } } } })],
    ]);
  await eventually(
    async () => {
      const { phase, running } = await prodOf();
      expect({ phase, proven: running?.proven }).toEqual({ phase: "Passed", proven: true });
      return running?.digest !== before;
    },
    { what: "prod runs its commit with the new labels" },
  );

  // When a user rolls prod back to the first commit, then the stage reports why it does not start, and the command
  await fairlead(["rollback", `${namespace}/shop`, first.slice(0, 10), "--stage=prod"]);
  const why = await eventually(
    async () => {
      const message = (await prodOf()).waiting?.find(({ gate }) => gate === "Plan")?.message ?? "";
      expect(message).toMatch(/requests digest \w+, but \w+ has digest \w+ now: the inputs or the operator/);
      return message;
    },
    { what: "prod reports that the commit renders differently" },
  );
  const command = why.slice(why.indexOf("fairlead promote"));
  expect(command).toBe(
    `fairlead promote ${namespace}/shop prod ${first} --hold --bypass Order --reason TEXT`,
  );
  expect(await readObject("configmaps", "web-prod", namespace)).toMatchObject({ data: { version: "3" } });

  // When the user runs this command, then prod runs the commit as it renders now, and is held
  await fairlead(command.split(" ").slice(1));
  await untilStage("shop", "prod", {
    phase: "Held",
    running: { revision: first, proven: true },
    promotion: { revision: first, unproven: ["dev"] },
  });
  expect(await readObject("configmaps", "web-prod", namespace)).toMatchObject({
    metadata: { labels: { team: "web" } },
    data: { version: "1" },
  });
});
