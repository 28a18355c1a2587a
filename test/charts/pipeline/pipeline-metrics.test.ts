import { describe, expect, test } from "vitest";
import { pipelineMetrics } from "../../../charts/pipeline/pipeline-metrics.ts";
import type { PipelineResource } from "../../../crds/pipeline.ts";
import { aShop, everywhere, hour, job } from "./stages.ts";

/** Samples such as `fairlead_candidates_waiting prod Approvals 1`, without those that are 0. */
function samplesOf(pipeline: PipelineResource): readonly string[] {
  return pipelineMetrics.flatMap(({ name, samples }) =>
    samples(pipeline)
      .filter(({ value }) => value !== 0)
      .map(({ labels: { stage, gate }, value }) => [name, stage, gate, value].filter(Boolean).join(" ")),
  );
}

const approvals = { enter: { approvals: { count: 1 } } };
const window = (window: object) => ({ enter: { windows: [{ allow: window }] } });

/** A shop whose newest commit has passed staging, with prod as given. */
function atProd(prod: object, before: (world: ReturnType<typeof aShop>) => void = () => {}) {
  const world = aShop({ prod });
  before(world);
  world.push(everywhere("1"));
  world.run(hour);
  return world;
}

describe("the metrics of a Pipeline", () => {
  test("have no series for a Pipeline without a status, or without a spec", () => {
    const { pipeline } = aShop();
    const { status: _, ...fresh } = pipeline;
    expect(samplesOf(fresh as PipelineResource)).toEqual([]);
    expect(samplesOf({ ...pipeline, spec: undefined } as unknown as PipelineResource)).toEqual([]);
  });

  test("have 0 for each stage that has not failed, with namespace, Pipeline and stage", () => {
    const { pipeline } = atProd({});
    const failed = pipelineMetrics.find(({ name }) => name === "fairlead_stage_failed");
    const { namespace = "" } = pipeline.metadata;
    expect(failed?.samples(pipeline)).toEqual(
      ["dev", "staging", "prod"].map((stage) => ({
        labels: { namespace, pipeline: "shop", stage },
        value: 0,
      })),
    );
  });

  test("have a series for each gate that a candidate waits for", () => {
    expect(samplesOf(atProd(approvals).pipeline)).toEqual(["fairlead_candidates_waiting prod Approvals 1"]);
    const closed = atProd(window({ cron: "0 3 * * *", duration: "30m" }));
    expect(samplesOf(closed.pipeline)).toEqual(["fairlead_candidates_waiting prod Windows 1"]);
    closed.run(3 * hour);
    expect(samplesOf(closed.pipeline)).toEqual([]);
  });

  test.for([
    { gate: "Windows", prod: window({ cron: "0 3 * * *", duration: "1h", timeZone: "Mars/Base" }) },
    { gate: "Windows", prod: window({ cron: "0 0 31 2 *", duration: "1h" }) },
    { gate: "Order", prod: { after: ["empty"] } },
  ])("report a gate $gate that cannot open: $prod", ({ gate, prod }) => {
    const world = atProd(prod, (shop) =>
      shop.editStages([...shop.pipeline.spec.stages, { name: "empty", after: ["dev"], releases: [] }]),
    );
    expect(samplesOf(world.pipeline)).toContain(`fairlead_gate_blocked prod ${gate} 1`);
  });

  test.for([
    { state: "known", blocked: 1 },
    { state: "pending", blocked: 0 },
  ] as const)(
    "report Approvals by $state authors without a user as blocked: $blocked",
    ({ state, blocked }) => {
      const authors = [{ email: "bob@example.dev", commit: "1".repeat(40) }];
      const notAuthor = { enter: { approvals: { count: 1, notAuthor: true } } };
      const { pipeline } = atProd(notAuthor, (world) => {
        world.authorsOf = (span) => (state === "known" ? { ...span, state, authors } : { ...span, state });
      });
      const found = samplesOf(pipeline).filter((line) => line === "fairlead_gate_blocked prod Approvals 1");
      expect(found).toHaveLength(blocked);
    },
  );

  test("report that the API server does not validate Approvals, until it does", () => {
    const binding = "ValidatingAdmissionPolicyBinding";
    const world = aShop({ prod: approvals });
    const policy = world.objects.find(binding, "approvals");
    world.remove(binding, "approvals");
    world.push(everywhere("1"));
    world.run(hour);
    expect(samplesOf(world.pipeline)).toContain("fairlead_gate_blocked prod Approvals 1");
    if (policy !== undefined) world.change(policy);
    world.run(hour);
    expect(samplesOf(world.pipeline)).toEqual(["fairlead_candidates_waiting prod Approvals 1"]);
  });

  test("report a stage as failed until a candidate passes it, also while the next one is proven", () => {
    const world = aShop({ staging: { pass: { verify: [job()] } } });
    world.jobOutcome = ({ revision }) => (revision.endsWith("1") ? "Failed" : "Complete");
    world.push(everywhere("1"));
    world.run(hour);
    expect(samplesOf(world.pipeline)).toContain("fairlead_stage_failed staging 1");
    world.push(everywhere("2"));
    world.run(5_000);
    expect(world.stage("staging").phase).toBe("Proving");
    expect(samplesOf(world.pipeline)).toContain("fairlead_stage_failed staging 1");
    world.run(hour);
    expect(samplesOf(world.pipeline)).toEqual([]);
  });

  test("have no series of a stage that was removed from the spec, for any status", () => {
    const { pipeline } = atProd(approvals);
    const stages = pipeline.spec.stages.slice(0, 2);
    expect(samplesOf({ ...pipeline, spec: { ...pipeline.spec, stages } })).toEqual([]);
  });
});
