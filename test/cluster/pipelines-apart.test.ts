import { expect, test } from "vitest";
import { readPrometheusText } from "../fakes/prometheus-text.ts";
import { eventually } from "./eventually.ts";
import type { RunningOperator } from "./operator.ts";
import { lineOf } from "./operator-user.ts";
import { aPipelineHarness } from "./pipeline-harness.ts";
import { metricsArgument } from "./reconciled.ts";
import { aConfigMapFile } from "./release-harness.ts";

const count = 20;
const stages = ["dev", "staging", "prod"] as const;
const pipelines = Array.from({ length: count }, (_, index) => `p${String(index).padStart(2, "0")}`);

/** Sum of a metric of an operator over its labels. */
async function metricOf(operator: RunningOperator, name: string): Promise<number> {
  const { address } = await eventually(
    () => operator.log.find(({ message, serves }) => message === "Listening" && serves === "metrics"),
    { what: "it serves metrics" },
  );
  const families = readPrometheusText(await (await fetch(`http://${address}/metrics`)).text());
  return [...(families.get(name)?.series.values() ?? [])].reduce((sum, value) => sum + value, 0);
}

test("a push to one of many Pipelines of a repository causes no request and no render for the others", async () => {
  // Given Pipelines of three stages each, in which all stages have passed the first commit
  const harness = await aPipelineHarness();
  const files = (name: string, version: string) =>
    Object.fromEntries(
      stages.map((stage) => [`${name}/${stage}/web.json`, aConfigMapFile(`${name}-${stage}`, { version })]),
    );
  const first = harness.commit(Object.assign({}, ...pipelines.map((name) => files(name, "1"))));
  const operator = await harness.start([metricsArgument]);
  for (const name of pipelines)
    await harness.pipeline(
      name,
      stages.map((stage) => ({ name: stage, releases: [stage] })),
    );
  for (const name of pipelines)
    for (const stage of stages)
      await harness.untilStage(name, stage, { phase: "Passed", running: { revision: first } });
  const rendersOf = () => metricOf(operator, "fairlead_release_renders_total");
  const renders = await rendersOf();

  // When a push changes the folder of one of them, and another push changes no folder of any
  const begin = new Date();
  const [name = ""] = pipelines;
  const second = harness.commit(files(name, "2"));
  for (const stage of stages)
    await harness.untilStage(name, stage, { phase: "Passed", running: { revision: second } });
  const looks = await metricOf(operator, "fairlead_release_source_looks_total");
  harness.commit({ "README.md": "Read me." });
  await eventually(
    async () => (await metricOf(operator, "fairlead_release_source_looks_total")) >= looks + 2,
    { what: "the remote is polled again" },
  );

  // Then no request is about the others, and only its own Releases are rendered: to plan the commit, and to deploy it.
  const requests = await harness.user.requests(begin);
  const others = requests.filter(
    ({ verb, objectRef }) =>
      verb !== "watch" &&
      !["events", "leases"].includes(objectRef?.resource ?? "") &&
      !objectRef?.name?.startsWith(name),
  );
  expect(others.map(lineOf)).toEqual([]);
  expect(requests.map(lineOf)).toContain(`patch promotions ${name}-prod-2 201`);
  expect((await rendersOf()) - renders).toBeLessThanOrEqual(2 * stages.length);
});
