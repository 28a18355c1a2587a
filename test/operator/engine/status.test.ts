import { describe, expect, test } from "vitest";
import type { Condition } from "../../../crds/conditions.ts";
import type { Health } from "../../../operator/engine/health/health.ts";
import { composeStatus, type StatusInput } from "../../../operator/engine/status.ts";
import { statusPatch } from "../../../operator/engine/status-patch.ts";
import { anOwner } from "../../fakes/owned-objects.ts";

const record = { digest: "d", tree: "t", commit: "c1" };
const healthy: Health = {
  status: "Current",
  reason: "Current",
  message: "Deployment shop/web: 1 pod available",
};
const starting: Health = { status: "InProgress", reason: "Unavailable", message: "0 of 1 pod available" };
const broken: Health = { status: "Failed", reason: "DeadlineExceeded", message: "deadline" };
const refused = { state: "refused", reason: "ApplyRejected", message: "no" } as const;
const [noon, later] = ["2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z"];

const fine: StatusInput = {
  resource: anOwner({ generation: 3 }),
  kindStatus: {},
  applied: { state: "applied", count: 2 },
  health: healthy,
  publish: { state: "published", record },
  nowIso: noon,
};
const compose = (input: Partial<StatusInput> = {}) => composeStatus({ ...fine, ...input });
/** The same resource with the status that was composed for it. */
const having = (input: Partial<StatusInput> = {}): Pick<StatusInput, "resource"> => ({
  resource: { ...fine.resource, status: compose(input) },
});
const shown = ({ conditions = [] }: { conditions?: Condition[] | undefined }) =>
  conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
const find = (status: { conditions?: Condition[] | undefined }, wanted: string) =>
  status.conditions?.find(({ type }) => type === wanted);

describe("composeStatus()", () => {
  const published = "Published=True Published";
  test.for([
    {
      does: "all is healthy",
      input: {},
      shows: ["Ready=True Reconciled", "Applied=True Applied", "Healthy=True Healthy", published],
    },
    {
      does: "there is no repository",
      input: { publish: undefined },
      shows: ["Ready=True Reconciled", "Applied=True Applied", "Healthy=True Healthy"],
    },
    {
      does: "pods start",
      input: { health: starting },
      shows: [
        "Ready=False Progressing",
        "Applied=True Applied",
        "Healthy=False Progressing",
        published,
        "Reconciling=True Progressing",
      ],
    },
    {
      does: "pods do not start in time",
      input: { health: broken },
      shows: [
        "Ready=False Failed",
        "Applied=True Applied",
        "Healthy=False Failed",
        published,
        "Stalled=True Failed",
      ],
    },
    {
      does: "a user suspended a child",
      input: { health: { ...healthy, status: "Suspended" } },
      shows: ["Ready=True Reconciled", "Applied=True Applied", "Healthy=True Suspended", published],
    },
    {
      does: "a child is being deleted",
      input: { health: { ...healthy, status: "Terminating" } },
      shows: [
        "Ready=False Deleting",
        "Applied=True Applied",
        "Healthy=False Deleting",
        published,
        "Reconciling=True Deleting",
      ],
    },
    {
      does: "the server refuses an object",
      input: { applied: refused, publish: { state: "skipped" } },
      shows: [
        "Ready=False ApplyRejected",
        "Applied=False ApplyRejected",
        "Healthy=True Healthy",
        "Stalled=True ApplyRejected",
      ],
    },
    {
      does: "the spec is invalid from the start",
      input: { applied: { ...refused, reason: "SpecInvalid" }, health: undefined, publish: undefined },
      shows: [
        "Ready=False SpecInvalid",
        "Applied=False SpecInvalid",
        "Healthy=Unknown SpecInvalid",
        "Stalled=True SpecInvalid",
      ],
    },
    {
      does: "an object must be deleted before it can be recreated",
      input: { applied: { state: "waiting", message: "Waiting until Job a is gone", isWatched: true } },
      shows: [
        "Ready=False Progressing",
        "Applied=False Progressing",
        "Healthy=True Healthy",
        published,
        "Reconciling=True Progressing",
      ],
    },
    {
      does: "the API server does not respond",
      input: { applied: { state: "failed", message: "503" } },
      shows: [
        "Ready=False ApplyFailed",
        "Applied=False ApplyFailed",
        "Healthy=True Healthy",
        published,
        "Reconciling=True ApplyFailed",
      ],
    },
    {
      does: "a first commit is late",
      input: { publish: { state: "pending", sinceMs: 1 } },
      shows: [
        "Ready=True Reconciled",
        "Applied=True Applied",
        "Healthy=True Healthy",
        "Published=Unknown Pending",
      ],
    },
    {
      does: "the remote refuses the push: Ready stays true",
      input: { publish: { state: "failed", reason: "PushRefused", message: "protected branch" } },
      shows: [
        "Ready=True Reconciled",
        "Applied=True Applied",
        "Healthy=True Healthy",
        "Published=False PushRefused",
      ],
    },
  ] as const)("has these conditions when $does", ({ input, shows }) => {
    expect(shown(compose(input))).toEqual(shows);
  });

  test("has the observed generation in every condition", () => {
    const status = compose();
    expect(status.observedGeneration).toBe(3);
    expect(status.conditions?.every(({ observedGeneration }) => observedGeneration === 3)).toBe(true);
  });

  test("has the cause in the message of Ready", () => {
    expect(find(compose({ applied: refused }), "Ready")?.message).toBe("no");
    expect(find(compose({ health: starting }), "Ready")?.message).toBe("0 of 1 pod available");
  });

  test("is equal when it is composed again an hour later without a change", () => {
    const again = compose({ ...having(), nowIso: later });
    expect(statusPatch(compose(), again)).toBeUndefined();
  });

  test("moves lastTransitionTime only when the status of a condition changes", () => {
    const status = compose({ ...having({ health: starting }), health: broken, nowIso: later });
    expect(find(status, "Ready")).toMatchObject({
      status: "False",
      reason: "Failed",
      lastTransitionTime: noon,
    });
    expect(find(status, "Stalled")).toMatchObject({ lastTransitionTime: later });
    const recovered = compose({ ...having({ health: starting }), nowIso: later });
    expect(find(recovered, "Ready")).toMatchObject({ status: "True", lastTransitionTime: later });
  });

  test("keeps the conditions while a race is retried", () => {
    const status = compose({ ...having(), applied: { state: "retry" }, nowIso: later });
    expect(shown(status)).toEqual(shown(compose()));
  });

  test("keeps the publication while nothing is offered", () => {
    const status = compose({ ...having(), applied: refused, publish: { state: "skipped" }, nowIso: later });
    expect(status.published).toEqual(record);
    expect(find(status, "Published")).toMatchObject({
      status: "True",
      message: "Commit c1",
      lastTransitionTime: noon,
    });
  });

  test("keeps the last publication while a newer one is in progress", () => {
    expect(compose({ ...having(), publish: { state: "pending", sinceMs: 1 } }).published).toEqual(record);
  });

  test("drops the publication when there is no repository any more", () => {
    const status = compose({ ...having(), publish: undefined });
    expect(status.published).toBeUndefined();
    expect(find(status, "Published")).toBeUndefined();
    expect(statusPatch(having().resource.status, status)).toMatchObject({ published: null });
  });

  test("contains the kind's fields, and its conditions after those of the engine in the order of their types", () => {
    const own = ["Progressing", "Available"].map((type) => ({
      type,
      status: "True",
      reason: "Ok",
      message: "",
    }));
    const status = compose({ kindStatus: { nodes: [], conditions: own } });
    expect(status["nodes"]).toEqual([]);
    expect(shown(status).slice(4)).toEqual(["Available=True Ok", "Progressing=True Ok"]);
    const ordered = compose({ kindStatus: { nodes: [], conditions: own }, keepsOrder: true });
    expect(shown(ordered).slice(4)).toEqual(["Progressing=True Ok", "Available=True Ok"]);
    // The schema requires the field.
    const [{ reason: _, ...silent }] = own as [(typeof own)[number]];
    const without = compose({ kindStatus: { nodes: [], conditions: [silent] } });
    expect(without.conditions?.at(-1)).toMatchObject({ type: "Progressing", status: "True", reason: "" });
    expect(find(status, "Available")).toMatchObject({ lastTransitionTime: noon });
  });

  test("a kind's condition cannot replace one of the engine's", () => {
    const own = [{ type: "Ready", status: "True", reason: "Lie", message: "" }];
    const status = compose({ health: broken, kindStatus: { conditions: own } });
    expect(status.conditions?.filter(({ type }) => type === "Ready")).toMatchObject([{ status: "False" }]);
  });

  test("truncates a message that is longer than the schema allows", () => {
    const status = compose({ applied: { ...refused, message: "x".repeat(40_000) } });
    expect(find(status, "Applied")?.message).toHaveLength(32_768);
  });

  test("truncates a message without half a character, which the API server would replace", () => {
    const status = compose({ applied: { ...refused, message: `${"x".repeat(32_767)}🚀` } });
    expect(find(status, "Applied")?.message.at(-1)).toBe("\uFFFD");
  });
});
