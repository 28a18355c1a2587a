import { expect, test } from "vitest";
import { readPrometheusText } from "../fakes/prometheus-text.ts";
import { eventually, kubectl } from "./fixture.ts";
import type { RunningOperator } from "./operator.ts";
import { aPipelineFixture } from "./pipeline-fixture.ts";

const ofPipelines = /^fairlead_(promotion|stage|candidates|gate)/;

test("the metrics of a stage contain passed and failed Promotions, the time to restore, and the gates that candidates wait for", async () => {
  const fixture = await aPipelineFixture();
  const { namespace, untilStage, commit } = fixture;
  const start = async () => {
    const operator = await fixture.start(["--metrics-bind-address=127.0.0.1:0"]);
    await operator.untilLogged("Became leader");
    return operator;
  };
  /** The series of Pipelines that are not 0, without buckets, such as `fairlead_stage_failed dev`. */
  const shown = async (operator: RunningOperator): Promise<ReadonlyMap<string, number>> => {
    const line = operator.log.find(({ message, serves }) => message === "Listening" && serves === "metrics");
    const address = String(line?.["address"]).replace("[::]", "127.0.0.1");
    const text = await (await fetch(`http://${address}/metrics`)).text();
    const all = [...readPrometheusText(text).values()].flatMap(({ series }) => [...series]);
    return new Map(
      all
        .filter(([name]) => ofPipelines.test(name) && !name.includes("_bucket"))
        .map(([name, value]) => [nameIn(name), value]),
    );
  };
  const nameIn = (series: string): string => {
    const [name = "", labels = ""] = series.split("{");
    expect(labels).toContain(`namespace="${namespace}",pipeline="shop"`);
    const more = ["stage", "gate", "result"].flatMap((label) => {
      const [, value] = new RegExp(`${label}="(\\w+)"`).exec(labels) ?? [];
      return value ?? [];
    });
    return [name, ...more].join(" ");
  };
  const untilShown = (operator: RunningOperator, wanted: Readonly<Record<string, number | undefined>>) =>
    eventually(
      async () => {
        const now = await shown(operator);
        for (const [name, value] of Object.entries(wanted)) expect(now.get(name), name).toBe(value);
        return now;
      },
      { what: `the metrics have ${JSON.stringify(wanted)}` },
    );

  // When dev has passed a commit, and prod waits for an approval
  const first = commit("1");
  const operator = await start();
  await fixture.follow();
  await untilStage("dev", { phase: "Passed", running: { revision: first } });

  // Then the page has the deployment, its lead time and the wait, and every series of a stage begins at 0
  const passed = await untilShown(operator, {
    "fairlead_promotions_total dev passed": 1,
    "fairlead_promotion_lead_time_seconds_count dev": 1,
    "fairlead_candidates_waiting prod Approvals": 1,
    "fairlead_promotions_total dev failed": 0,
    "fairlead_promotions_total prod passed": 0,
    "fairlead_promotions_total prod rolled_back": 0,
    "fairlead_stage_restore_seconds_count dev": 0,
    "fairlead_promotion_lead_time_seconds_count prod": 0,
    "fairlead_stage_failed dev": 0,
    "fairlead_gate_blocked prod Approvals": undefined,
  });
  expect(passed.get("fairlead_promotion_lead_time_seconds_sum dev")).toBeGreaterThanOrEqual(0);

  // When a verification of the next commit never finishes
  const containers = [{ name: "e2e", image: "example.dev/e2e:1" }];
  const template = { spec: { template: { spec: { restartPolicy: "Never", containers } } } };
  await fixture.follow({ pass: { verify: [{ name: "e2e", timeout: "1s", template }] } });
  const second = commit("2");
  await untilStage("dev", { phase: "Failed", promotion: { revision: second } });

  // Then dev has failed
  await untilShown(operator, {
    "fairlead_promotions_total dev failed": 1,
    "fairlead_promotions_total dev passed": 1,
    "fairlead_promotion_lead_time_seconds_count dev": 1,
    "fairlead_stage_failed dev": 1,
  });

  // When a third commit passes without that verification
  await fixture.follow();
  const third = commit("3");
  await untilStage("dev", { phase: "Passed", running: { revision: third } });

  // Then dev is restored
  const restored = await untilShown(operator, {
    "fairlead_promotions_total dev failed": 1,
    "fairlead_promotions_total dev passed": 2,
    "fairlead_promotion_lead_time_seconds_count dev": 2,
    "fairlead_stage_restore_seconds_count dev": 1,
    "fairlead_stage_failed dev": 0,
  });
  expect(restored.get("fairlead_stage_restore_seconds_sum dev")).toBeGreaterThanOrEqual(0);

  // When the operator starts again, then no earlier event is counted again
  await operator.stop();
  const next = await start();
  await fixture.approve("ada@example.dev");
  await untilStage("prod", { phase: "Passed", running: { revision: third } });
  await untilShown(next, {
    "fairlead_promotions_total prod passed": 1,
    "fairlead_promotion_lead_time_seconds_count prod": 1,
    "fairlead_promotions_total dev passed": 0,
    "fairlead_promotions_total dev failed": 0,
    "fairlead_promotion_lead_time_seconds_count dev": 0,
    "fairlead_stage_restore_seconds_count dev": 0,
    "fairlead_candidates_waiting prod Approvals": undefined,
  });

  // When the Pipeline is deleted, then its series are removed.
  await kubectl(["delete", "pipeline", "shop", "-n", namespace]);
  await eventually(async () => (await shown(next)).size === 0, { what: "no series of the Pipeline is left" });
});
