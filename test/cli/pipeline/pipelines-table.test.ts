import { expect, test } from "vitest";
import { formatPipelines } from "../../../cli/pipeline/pipelines-table.ts";
import { aPipeline } from "./a-pipeline.ts";

test("formatPipelines() shows readiness, the newest commit and the stages, one line each", () => {
  const nowMs = Date.parse("2026-11-23T10:00:00Z");
  const plain = aPipeline();
  const [ready, since] = [
    { type: "Ready", status: "True" as const, reason: "Reconciled", message: "" },
    "2026-11-23T09:59:00Z",
  ];
  const full = {
    ...plain,
    metadata: { ...plain.metadata, name: "api", creationTimestamp: since },
    status: {
      ...plain.status,
      conditions: [{ ...ready, lastTransitionTime: since }],
      shortRevision: "4be1f0c2a4",
      summary: "dev Passed, prod Waiting",
    },
  };
  expect(formatPipelines([full, plain], { namespaces: true, nowMs })).toEqual([
    "NAMESPACE  NAME  READY    STATUS      HEAD        AGE        STAGES",
    "shop       api   True     Reconciled  4be1f0c2a4  60s        dev Passed, prod Waiting",
    "shop       shop  Unknown  Pending     none        <unknown>",
  ]);
  expect(formatPipelines([plain], { namespaces: false, nowMs })[0]).toBe(
    "NAME  READY    STATUS   HEAD  AGE        STAGES",
  );
});
