import { expect, test } from "vitest";
import { type ExplainedRun, explainRun } from "../../../operator/engine/explain-run.ts";
import type { StepReason } from "../../../operator/engine/reasons.ts";
import { aManifest, asLive } from "../../fakes/owned-objects.ts";

const id = "/ConfigMap/shop/web";
const made: StepReason = { does: "create", id, reason: "it does not exist" };
const gate = "ConfigMap shop/web waits for ConfigMap shop/a: it is not applied yet";
const applied = { state: "applied" };

test.for<{ readonly run: string; readonly ended: ExplainedRun; readonly says: object }>([
  { run: "nothing was to do", ended: { outcome: applied }, says: {} },
  {
    run: "an object was made, in whichever pass",
    ended: { outcome: applied, steps: [made], plan: { reasons: [] } },
    says: { did: ["create ConfigMap shop/web: it does not exist"] },
  },
  {
    run: "an object was pruned",
    ended: {
      outcome: applied,
      changes: [{ done: "Pruned", live: asLive(aManifest()), why: "no longer desired" }],
    },
    says: { did: ["prune ConfigMap shop/web: it is no longer desired"] },
  },
  {
    run: "a gate holds an object",
    ended: {
      outcome: { state: "waiting", message: "all of it" },
      plan: { reasons: [{ does: "hold", id, reason: gate }] },
    },
    says: { waits: ["all of it", gate] },
  },
  {
    run: "an object differs for good",
    ended: { outcome: applied, converged: { plan: { reasons: [{ does: "keep", id, reason: "as it is" }] } } },
    says: { keeps: ["keep ConfigMap shop/web: as it is"] },
  },
  {
    run: "an object that was only planned is not done",
    ended: { outcome: { state: "failed", message: "no" }, plan: { reasons: [made] } },
    says: { waits: ["no"] },
  },
  {
    run: "its commit is not pushed yet",
    ended: { outcome: applied, publish: { state: "pending", sinceMs: 0 } },
    says: { waits: ["its commit is not pushed yet"] },
  },
  {
    run: "its commit cannot be pushed",
    ended: { outcome: applied, publish: { state: "failed", reason: "PushRefused", message: "protected" } },
    says: { waits: ["protected"] },
  },
  {
    run: "the source cannot be had",
    ended: { outcome: { state: "unsourced", failure: { message: "the remote does not answer" } } },
    says: { waits: ["the remote does not answer"] },
  },
  {
    run: "it is suspended",
    ended: { outcome: { state: "suspended" } },
    says: { waits: ["spec.suspend is true"] },
  },
  {
    run: "a write conflicts",
    ended: { outcome: { state: "retry" }, error: new Error("it was replaced") },
    says: { waits: ["it was replaced"] },
  },
])("the reasons of a run in which $run", ({ ended, says }) => {
  const nothing = { outcome: ended.outcome.state, did: [], waits: [], keeps: [] };
  expect(explainRun(ended)).toEqual({ ...nothing, ...says });
});
