import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Release } from "../../../../crds/release.ts";
import {
  composeReleaseStatus,
  type ReleaseStatusInput,
} from "../../../../operator/desire/release/release-status.ts";
import type { Health } from "../../../../operator/engine/health/health.ts";
import {
  conditionOf,
  conditionsOf,
  deployedRelease,
  having,
  healthy,
  statusInput,
} from "../../../fakes/release-statuses.ts";
import { aCommit, aRelease } from "../../../fakes/releases.ts";

const later = "2026-11-21T13:00:00Z";

describe("composeReleaseStatus()", () => {
  test("contains all facts of a ready Release", () => {
    expect(composeReleaseStatus(statusInput())).toEqual({
      revision: aCommit("a").id,
      shortRevision: "aaaaaaaaaaaa",
      attempted: aCommit("a").id,
      observedHead: aCommit("b").id,
      inventory: { entries: ["/ConfigMap/shop/web"], deployed: 1 },
      history: [expect.objectContaining({ revision: aCommit("a").id, digest: "d1", outcome: "Ready" })],
      observedGeneration: 1,
      conditions: [
        expect.objectContaining({
          type: "Ready",
          status: "True",
          reason: "Reconciled",
          message: "4 objects in place",
        }),
        expect.objectContaining({
          type: "Sourced",
          status: "True",
          message: "Commit aaaaaaaaaaaa by Ann: Commit a",
        }),
        expect.objectContaining({ type: "Applied", status: "True" }),
        expect.objectContaining({ type: "Healthy", status: "True" }),
      ],
    });
  });

  test("does not change the revision and its history while a newer one is not fully applied", () => {
    const source = { head: aCommit("c"), changed: aCommit("c") };
    const refused = composeReleaseStatus(
      statusInput({
        resource: deployedRelease,
        source,
        digest: "d2",
        outcome: { state: "refused", reason: "ApplyRejected", message: "no" },
      }),
    );
    expect(refused).toMatchObject({
      revision: aCommit("a").id,
      attempted: aCommit("c").id,
      observedHead: aCommit("c").id,
    });
    expect(refused["history"]).toEqual(deployedRelease.status?.history);
  });

  test("a new head that does not change the folder causes no write, and is part of the next one", () => {
    const source = { head: aCommit("c"), changed: aCommit("a") };
    expect(composeReleaseStatus(statusInput({ resource: deployedRelease, source, nowIso: later }))).toEqual(
      deployedRelease.status,
    );
    const asked = composeReleaseStatus(
      statusInput({ resource: deployedRelease, source: { ...source, handledRequest: "now" }, nowIso: later }),
    );
    expect(asked).toMatchObject({ observedHead: aCommit("c").id, lastHandledRequest: "now" });
  });

  test("a status without the short revision gets it with the next write, and causes no write by itself", () => {
    const { shortRevision: _, ...status } = deployedRelease.status ?? {};
    const resource = { ...deployedRelease, status } as typeof deployedRelease;
    const source = { head: aCommit("b"), changed: aCommit("a") };
    expect(composeReleaseStatus(statusInput({ resource, source, nowIso: later }))).toEqual(status);
    const next = { head: aCommit("c"), changed: aCommit("c") };
    expect(
      composeReleaseStatus(statusInput({ resource, source: next, digest: "d2", nowIso: later })),
    ).toMatchObject({ revision: aCommit("c").id, shortRevision: "cccccccccccc" });
  });

  test("a deployed revision that an earlier version did not write causes no write, and is part of the next one", () => {
    const value = { revision: aCommit("a").id, tree: "t" };
    const folder = { tree: "t", touched: aCommit("a"), isAssumed: true };
    const deployed = { value, folder, hasMoved: false };
    const input = { resource: deployedRelease, deployed, nowIso: later };
    expect(composeReleaseStatus(statusInput(input))).toEqual(deployedRelease.status);
    const failed: Health = { status: "Failed", reason: "Timeout", message: "1 of 2" };
    expect(composeReleaseStatus(statusInput({ ...input, health: failed }))).toMatchObject({
      deployed: value,
    });
    const moved = { ...deployed, hasMoved: true };
    expect(composeReleaseStatus(statusInput({ ...input, deployed: moved }))).toEqual({
      ...deployedRelease.status,
      observedHead: aCommit("b").id,
      deployed: { ...value, digest: "d1", generation: 1, since: "2026-11-21T12:00:00Z" },
    });
  });

  test("reports a handled request if the source is unavailable", () => {
    const failure = { reason: "SourceNotFound", message: "no branch" } as const;
    const outcome = { state: "unsourced", failure, handledRequest: "now" } as const;
    expect(
      composeReleaseStatus(statusInput({ outcome, source: undefined, health: undefined })),
    ).toMatchObject({ lastHandledRequest: "now" });
  });

  test("a pending source does not acknowledge an edit, and does not change the status", () => {
    const edited = having(deployedRelease.status, 2);
    const pending = {
      outcome: { state: "pending", message: "Rendering" },
      health: undefined,
      source: undefined,
    } as const;
    expect(composeReleaseStatus(statusInput({ resource: edited, ...pending, nowIso: later }))).toEqual(
      deployedRelease.status,
    );
  });

  test("lastTransitionTime changes only with a condition's status", () => {
    const failed: Health = { status: "Failed", reason: "Timeout", message: "1 of 2" };
    const status = composeReleaseStatus(
      statusInput({ resource: deployedRelease, health: failed, nowIso: later }),
    );
    expect(conditionOf(status, "Healthy")?.lastTransitionTime).toBe(later);
    expect(conditionOf(status, "Applied")?.lastTransitionTime).toBe("2026-11-21T12:00:00Z");
  });

  test("Applied is False since the new commit is in progress, not since an earlier commit was not applied", () => {
    const wait = { outcome: { state: "waiting", message: "x", isWatched: true }, health: undefined } as const;
    const first = composeReleaseStatus(statusInput(wait));
    const appliedAt = (status: object) => conditionOf(status, "Applied")?.lastTransitionTime;
    const again = { ...wait, resource: having(first), nowIso: later };
    expect(appliedAt(composeReleaseStatus(statusInput(again)))).toBe("2026-11-21T12:00:00Z");
    const source = { head: aCommit("c"), changed: aCommit("c") };
    expect(appliedAt(composeReleaseStatus(statusInput({ ...again, source })))).toBe(later);
  });

  test("is the same when it is composed again without a change, for any previous status", () => {
    const failure = fc.constantFrom(
      "SourceUnreachable",
      "SourceNotFound",
      "RenderFailed",
      "RenderLimit" as const,
    );
    const outcome: fc.Arbitrary<ReleaseStatusInput["outcome"]> = fc.oneof(
      fc.constant({ state: "applied", count: 4 } as const),
      fc.constant({ state: "retry" } as const),
      fc.constant({ state: "failed", message: "Forbidden" } as const),
      fc.constant({ state: "waiting", message: "x", isWatched: true } as const),
      fc.constant({ state: "refused", reason: "PruneHeld", message: "x" } as const),
      fc.constant({ state: "pending", message: "x" } as const),
      fc.constant({ state: "suspended" } as const),
      fc.constant({ state: "deleting", message: "x" } as const),
      failure.map((reason) => ({ state: "unsourced", failure: { reason, message: "x" } }) as const),
    );
    const health = fc.constantFrom<Health | undefined>(
      undefined,
      healthy,
      { status: "InProgress", reason: "Updating", message: "1 of 2" },
      { status: "Failed", reason: "Timeout", message: "1 of 2" },
    );
    const commit = fc.constantFrom("a", "b").map((digit) => aCommit(digit));
    const source = fc.option(fc.record({ head: commit, changed: commit }), { nil: undefined });
    const step = fc.record({
      outcome,
      health,
      source,
      digest: fc.constantFrom("d1", "d2"),
      generation: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        let status: unknown;
        for (const [index, { generation, ...more }] of steps.entries()) {
          const nowIso = `2026-11-21T12:0${index}:00Z`;
          const resource = status === undefined ? aRelease({ generation }) : having(status, generation);
          const next = composeReleaseStatus(statusInput({ resource, ...more, nowIso }));
          Release.status.parse(next);
          expect(
            composeReleaseStatus(statusInput({ resource: having(next, generation), ...more, nowIso: later })),
          ).toEqual(next);
          const types = conditionsOf(next).map((text) => text.split(" ", 1)[0]);
          expect(new Set(types).size).toBe(types.length);
          expect(
            types.filter((type) => type === "Reconciling" || type === "Stalled").length,
          ).toBeLessThanOrEqual(1);
          // Ready is never true before the newest commit is applied and healthy.
          if (conditionOf(next, "Ready")?.status === "True" && more.outcome.state === "applied")
            expect(more.health?.status).toBe("Current");
          status = next;
        }
      }),
    );
  });
});
