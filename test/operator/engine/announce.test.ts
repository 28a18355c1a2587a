import { describe, expect, test } from "vitest";
import type { Condition } from "../../../crds/conditions.ts";
import type { EngineStatus } from "../../../crds/status.ts";
import { load } from "../../../operator/desire/chart/load.ts";
import { announceChanges, announceStatus } from "../../../operator/engine/announce.ts";
import { OutageNotices } from "../../../operator/engine/outage-notices.ts";
import { aGadgetKind } from "../../fakes/gadget.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import { ReconcileBench } from "../../fakes/reconcile-bench.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { aResource } from "../../fakes/resources.ts";

/** The events about a resource whose spec has ignored parts, as `Warning SpecIgnored note`. */
function anAnnouncer(status?: EngineStatus) {
  const kind = { ...aGadgetKind(), warnings: () => ["size is not used"] };
  const bench = new ReconcileBench({ kind });
  bench.deliver(bench.cluster.put({ ...aResource(kind), ...(status && { status }) }));
  const loaded = load("shop/web", kind, bench.stores);
  if (loaded === undefined) throw new Error("there is no resource");
  const said: string[] = [];
  const log = new RecordingLogger();
  const events = {
    record: (_: unknown, event: { type: string; reason: string; note: string }) =>
      void said.push(`${event.type} ${event.reason} ${event.note}`),
  };
  return { loaded, said, log, options: { kind, events, outages: new OutageNotices(), log } };
}

function aStatus(observedGeneration: number, applied: "True" | "False"): EngineStatus {
  const reason = applied === "True" ? "Applied" : "ApplyRejected";
  const condition = { type: "Applied", status: applied, reason, message: "why", lastTransitionTime: "" };
  return { observedGeneration, conditions: [condition as Condition] };
}

describe("announceStatus()", () => {
  test("reports failures, in the log and as an event", () => {
    const { loaded, said, log, options } = anAnnouncer(aStatus(1, "True"));
    announceStatus({ status: aStatus(1, "False"), cause: undefined }, loaded, options);
    expect(said).toEqual(["Warning ApplyRejected why"]);
    expect(log.messages("warn")).toEqual(["Resource not ready"]);
  });

  test("reports recoveries", () => {
    const { loaded, said, log, options } = anAnnouncer(aStatus(1, "False"));
    announceStatus({ status: aStatus(1, "True"), cause: undefined }, loaded, options);
    expect(said).toEqual(["Normal Applied why"]);
    expect(log.messages("info")).toEqual(["Resource recovered"]);
  });

  test.for([
    { when: "first", before: undefined, says: ["Warning SpecIgnored size is not used"] },
    { when: "after an edit", before: aStatus(0, "True"), says: ["Warning SpecIgnored size is not used"] },
    { when: "not again for the same edit", before: aStatus(1, "True"), says: [] },
  ])("reports ignored parts of the spec: $when", ({ before, says }) => {
    const { loaded, said, options } = anAnnouncer(before);
    announceStatus({ status: aStatus(1, "True"), cause: undefined }, loaded, options);
    expect(said).toEqual(says);
  });
});

describe("announceStatus() during an outage of the repository", () => {
  /** A status whose `Published` is false with this reason; undefined: it is true. */
  const published = (reason?: string): EngineStatus => {
    const status = reason === undefined ? "True" : "False";
    const condition = { type: "Published", status, reason: reason ?? "Published", message: "why" };
    return { observedGeneration: 1, conditions: [{ ...condition, lastTransitionTime: "" } as Condition] };
  };

  test.for([
    { reason: "RepositoryUnreachable", places: ["a", "a"], events: 1 },
    { reason: "RepositoryUnreachable", places: ["a", "b"], events: 2 },
    { reason: "PublishRefused", places: ["a", "a"], events: 2 },
  ])("reports $reason of two resources at $places as $events events", ({ reason, places, events }) => {
    const { loaded, said, options } = anAnnouncer(published());
    for (const place of places)
      announceStatus({ status: published(reason), cause: undefined }, loaded, {
        ...options,
        placeOf: () => place,
      });
    expect(said).toEqual(Array(events).fill(`Warning ${reason} why`));
  });
});

test("announceChanges() reports which object was changed how, and why", () => {
  const { loaded, said, log, options } = anAnnouncer();
  const live = aLiveObject({ name: "a" });
  announceChanges([{ done: "Restored", live, why: "spec.x was changed" }], loaded, options);
  expect(said).toEqual(["Normal Restored Restored Widget shop/a: spec.x was changed"]);
  expect(log.messages("info")).toHaveLength(1);
});
