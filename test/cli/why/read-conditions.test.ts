import { describe, expect, test } from "vitest";
import { readConditions } from "../../../cli/why/read-conditions.ts";
import { nextTryBy, remedyOf } from "../../../cli/why/remedies.ts";
import type { Condition } from "../../../crds/conditions.ts";
import { condition } from "../release/a-release.ts";
import { someCommands } from "./a-session.ts";

const since = "2026-01-01T00:00:00Z";
const context = {
  ...{ kind: "release", name: "web", namespace: "shop", retryCapMs: 60_000, interval: "1m", timeout: "5m" },
  nowMs: Date.parse(since) + 40_000,
  commands: someCommands,
};
const read = (conditions: readonly Condition[], { generation = 1, observedGeneration = 1 } = {}) =>
  readConditions({ metadata: { generation }, status: { conditions, observedGeneration } }, context);
const bad = (type: string, reason: string, message = `${reason}!`) =>
  condition(type, "False", { reason, message });
const good = (type: string, message = "fine") => condition(type, "True", { reason: type, message });

describe("what a resource waits for, by its conditions", () => {
  test.for<{
    readonly state: string;
    readonly conditions: readonly Condition[];
    readonly waits: readonly string[];
    readonly next?: readonly string[];
  }>([
    { state: "all is well", conditions: [good("Ready"), good("Applied"), good("Healthy")], waits: [] },
    {
      state: "one cause that others follow",
      conditions: [
        bad("Ready", "NotOwned"),
        bad("Applied", "NotOwned"),
        condition("Healthy", "Unknown", { reason: "NotOwned", message: "Not known before" }),
        condition("Stalled", "True", { reason: "NotOwned", message: "NotOwned!" }),
      ],
      waits: ["NotOwned: NotOwned! until the object is deleted or handed over; checked every 30 s"],
    },
    {
      state: "a source that is lost, and what is deployed stays",
      conditions: [
        bad("Ready", "SourceNotFound", "no folder. Commit 1a stays deployed"),
        bad("Sourced", "SourceNotFound", "no folder. What is known holds"),
        good("Applied"),
      ],
      waits: ["SourceNotFound: no folder. What is known holds until the source is fixed; polled every 1m"],
      next: [expect.stringContaining("fairlead reconcile --wait")],
    },
    {
      state: "the API server refuses a manifest of a Release",
      conditions: [bad("Applied", "ApplyRejected", "web.yaml:3: unknown field")],
      waits: [
        "ApplyRejected: web.yaml:3: unknown field until the manifest or the conflicting object changes; after a minute, the next reconcile tries again",
      ],
      next: [expect.stringContaining("diff --source"), expect.stringContaining("reconcile --wait")],
    },
    {
      state: "a try that failed is made again",
      conditions: [bad("Applied", "ApplyFailed", "forbidden")],
      waits: ["ApplyFailed: forbidden until an attempt succeeds; next attempt by 2026-01-01T00:01:20Z"],
      next: [expect.stringContaining("grant")],
    },
    {
      state: "objects are not ready, and nothing is published",
      conditions: [
        good("Applied"),
        bad("Healthy", "Progressing", "1 of 2"),
        bad("Published", "PushRefused", "no"),
      ],
      waits: [
        "Progressing: 1 of 2 until the objects are ready; fails after 5m (spec.timeout)",
        "PushRefused: no until a push succeeds; retried automatically",
      ],
      next: ["fairlead tree", expect.stringContaining("docs/git.md")],
    },
    {
      state: "it is suspended, and still ready",
      conditions: [
        condition("Ready", "True", { reason: "Suspended", message: "Suspended: …" }),
        good("Applied"),
      ],
      waits: ["Suspended: Suspended: … until spec.suspend is false"],
      next: ["fairlead resume"],
    },
    {
      state: "all is applied, and something does not go",
      conditions: [good("Ready"), good("Applied", "Applied 1 object; not deleted yet: b")],
      waits: ["Applied: Applied 1 object; not deleted yet: b"],
    },
    {
      state: "the next source takes long, and what is deployed is ready",
      conditions: [
        good("Ready"),
        condition("Reconciling", "True", { reason: "SourcePending", message: "on its way" }),
      ],
      waits: ["SourcePending: on its way until the source is fetched and rendered"],
      next: ["fairlead logs"],
    },
  ])("$state", ({ conditions, waits, next = [] }) => {
    const said = read(conditions);
    expect(
      said.waits.map(({ on, message, until }) => `${on}: ${message}${until ? ` until ${until}` : ""}`),
    ).toEqual(waits);
    expect(said.next).toEqual(next);
    for (const wait of said.waits) expect(wait.since).toBe(since);
  });

  test.for([
    {
      generation: 3,
      observedGeneration: 2,
      says: /has not reconciled generation 3 yet; the conditions are of generation 2$/,
    },
    { generation: 1, observedGeneration: undefined as never, says: /has not reconciled it yet$/ },
  ])("says that the operator has not observed generation $generation", ({ says, ...generations }) => {
    const said = readConditions(
      {
        metadata: { generation: generations.generation },
        status: { conditions: [], observedGeneration: generations.observedGeneration },
      },
      context,
    );
    expect(said.waits[0]).toMatchObject({ on: "Operator", message: expect.stringMatching(says) });
    expect(said.next[0]).toContain("fairlead logs");
  });

  test("lists the last changes, newest first, and no more than three", () => {
    const at = (type: string, second: number) => ({
      ...good(type),
      lastTransitionTime: `2026-01-01T00:00:0${second}Z`,
    });
    const said = read([
      at("Ready", 1),
      at("Sourced", 3),
      at("Applied", 2),
      at("Healthy", 0),
      at("Reconciling", 9),
    ]);
    expect(said.changed).toEqual([
      "Sourced is True since 2026-01-01T00:00:03Z, now Sourced",
      "Applied is True since 2026-01-01T00:00:02Z, now Applied",
      "Ready is True since 2026-01-01T00:00:01Z, now Ready",
    ]);
  });
});

describe("the next attempt", () => {
  const startMs = Date.parse(since);
  test.for([
    { afterMs: 0, by: "2026-01-01T00:00:01Z" },
    { afterMs: 20_000, by: "2026-01-01T00:00:40Z" },
    { afterMs: 3_600_000, by: "2026-01-01T01:01:00Z" },
  ])(
    "starts before twice the time has passed, and before the longest delay ($afterMs ms)",
    ({ afterMs, by }) => {
      expect(nextTryBy({ ...context, sinceMs: startMs, nowMs: startMs + afterMs })).toBe(by);
    },
  );
});

test("an unknown reason has no remedy", () => {
  expect(remedyOf("TheirOwn", { ...context, sinceMs: 0 })).toEqual({ next: [] });
});
