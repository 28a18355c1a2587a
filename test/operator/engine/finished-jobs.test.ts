import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import { findFinishedJobs } from "../../../operator/engine/finished-jobs.ts";
import { assessSet } from "../../../operator/engine/health/assess-set.ts";
import { composeInventory } from "../../../operator/engine/inventory.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { planChanges } from "../../../operator/engine/plan.ts";
import { aRelease, aSourceManifest, asOwned, asPrepared } from "../../fakes/releases.ts";

const job = (image: string, ttl: object = { ttlSecondsAfterFinished: 60 }) =>
  asPrepared(
    [
      aSourceManifest("batch/v1", "Job", "migrate", { fields: { spec: { image, ...ttl } } }),
      aSourceManifest("apps/v1", "Deployment", "web"),
    ],
    { 1: [0] },
  );
const prepared = job("a");
const [first] = prepared.objects;
if (first === undefined) throw new Error("there is a Job");
const ended = (type: "Complete" | "Failed"): LiveObject => ({
  ...asOwned(first.manifest).live,
  status: { conditions: [{ type, status: "True" }] },
});
const name = `batch/Job/shop/migrate ${first.manifest.metadata.annotations?.["fairlead.dev/digest"]}`;

describe("findFinishedJobs()", () => {
  test.for([
    { case: "is complete", of: prepared, live: ended("Complete"), before: [], finished: [name] },
    { case: "no longer exists", of: prepared, live: undefined, before: [name], finished: [name] },
    { case: "was never created", of: prepared, live: undefined, before: [], finished: [] },
    { case: "is running", of: prepared, live: asOwned(first.manifest).live, before: [], finished: [] },
    { case: "failed", of: prepared, live: ended("Failed"), before: [], finished: [] },
    {
      case: "exists again",
      of: prepared,
      live: asOwned(first.manifest).live,
      before: [name],
      finished: [],
    },
    { case: "has another template", of: job("b"), live: ended("Complete"), before: [name], finished: [] },
    {
      case: "stays when it is complete",
      of: job("a", {}),
      live: ended("Complete"),
      before: [],
      finished: [],
    },
  ])("a Job that $case", ({ of, live, before, finished }) => {
    const liveOf = ({ manifest }: { readonly manifest: { readonly kind: string } }) =>
      manifest.kind === "Job" ? live : undefined;
    expect(findFinishedJobs({ prepared: of, liveOf, before })).toEqual(finished);
  });
});

describe("a Job that was deleted by its time to live", () => {
  const plan = (finished: readonly string[], of = prepared, live?: LiveObject) =>
    planChanges({
      resource: aRelease(),
      desired: of,
      observed: ({ id }) => (id === first.id ? live : undefined),
      watch: () => ({ hasSynced: true, refusal: undefined }),
      isSettled: () => false,
      shapeOf: builtInShapeOf,
      assess: () => ({ status: "Current", reason: "Current", message: "" }),
      finished,
    });
  const kindsOf = (made: ReturnType<typeof plan>) => made.apply.flat().map(({ manifest }) => manifest.kind);

  test("is not created again, and its dependents continue", () => {
    const made = plan([name]);
    expect(kindsOf(made)).toEqual(["Deployment"]);
    expect(made.done.map(({ id }) => id)).toEqual(["batch/Job/shop/migrate"]);
    expect(made.isComplete).toBe(true);
  });

  test("is treated as every object while it exists", () => {
    const live = asOwned(first.manifest).live;
    const made = plan([name], prepared, live);
    expect(made.done).toEqual([]);
  });

  test("is created again when the source changed it, or when its completion is unknown", () => {
    expect(kindsOf(plan([name], job("b")))).toEqual(["Job"]);
    expect(kindsOf(plan([]))).toEqual(["Job"]);
  });

  test("is healthy, and recorded", () => {
    const owned = prepared.objects.slice(1).map(({ manifest }) => asOwned(manifest));
    const previous = { entries: [], finished: [name] };
    expect(composeInventory({ owned, prepared, previous, isComplete: true }).finished).toEqual([name]);
    const health = (finished: readonly string[]) =>
      assessSet({
        prepared,
        liveOf: ({ id }) => owned.find((one) => one.id === id)?.live,
        assess: (live) => ({ status: live ? "Current" : "NotFound", reason: "X", message: "" }),
        finished,
        sinceMs: 0,
        timeout: "5m",
        timeoutMs: 300_000,
        nowMs: 0,
      }).status;
    expect(health([name])).toBe("Current");
    expect(health([])).toBe("NotFound");
  });
});
