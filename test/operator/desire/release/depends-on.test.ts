import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Condition } from "../../../../crds/conditions.ts";
import type { ReleaseResource } from "../../../../crds/release.ts";
import {
  allowsDependents,
  assessDependency,
  dependenciesOf,
  describeCycle,
  findCycle,
} from "../../../../operator/desire/release/depends-on.ts";
import { aCommit, aRelease } from "../../../fakes/releases.ts";

describe("dependenciesOf()", () => {
  test("returns each key once, in the Release's own namespace unless another one is named", () => {
    const dependsOn = [{ name: "b" }, { name: "a", namespace: "data" }, { name: "b", namespace: "shop" }];
    expect(dependenciesOf(aRelease({ spec: { dependsOn } }))).toEqual(["data/a", "shop/b"]);
    expect(dependenciesOf(aRelease())).toEqual([]);
  });
});

describe("findCycle()", () => {
  const find = (key: string, edges: Readonly<Record<string, readonly string[]>>) =>
    findCycle(key, (one) => edges[one] ?? []);

  test.for([
    { case: "none", edges: { a: ["b"], b: ["c"] }, cycle: undefined },
    { case: "itself", edges: { a: ["a"] }, cycle: ["a", "a"] },
    { case: "two", edges: { a: ["b"], b: ["a"] }, cycle: ["a", "b", "a"] },
    {
      case: "the shortest of two",
      edges: { a: ["b", "d"], b: ["c"], c: ["a"], d: ["a"] },
      cycle: ["a", "d", "a"],
    },
    {
      case: "one that is reachable from it, but does not contain it",
      edges: { a: ["b"], b: ["c"], c: ["b"] },
      cycle: undefined,
    },
    { case: "one that does not exist", edges: { a: ["gone"] }, cycle: undefined },
  ])("finds $case", ({ edges, cycle }) => {
    expect(find("a", edges as Record<string, string[]>)).toEqual(cycle);
  });

  test("finds a cycle exactly if there is one", () => {
    const names = ["a", "b", "c", "d", "e"];
    const graph = fc.record(Object.fromEntries(names.map((name) => [name, fc.subarray(names)])));
    fc.assert(
      fc.property(graph, (edges) => {
        const reachable = new Set<string>();
        const visit = (name: string): void => {
          for (const next of edges[name] ?? []) if (!reachable.has(next)) reachable.add(next) && visit(next);
        };
        visit("a");
        const cycle = find("a", edges);
        expect(cycle !== undefined).toBe(reachable.has("a"));
        if (cycle === undefined) return;
        expect([cycle[0], cycle.at(-1)]).toEqual(["a", "a"]);
        for (const [index, name] of cycle.slice(1).entries())
          expect(edges[cycle[index] ?? ""]).toContain(name);
      }),
    );
  });

  test("is reported with what to do", () => {
    expect(describeCycle(["shop/a", "shop/b", "shop/a"])).toBe(
      "These Releases depend on each other: shop/a → shop/b → shop/a. Remove one of them from spec.dependsOn",
    );
  });
});

describe("describeCycle()", () => {
  test("omits the names of Releases that do not allow the namespace", () => {
    const isHidden = (key: string) => key.startsWith("secret/");
    expect(describeCycle(["shop/a", "secret/b", "shop/a"], { isHidden })).toBe(
      "These Releases depend on each other: shop/a → a Release of another namespace → shop/a. Remove one of them from spec.dependsOn",
    );
  });
});

describe("allowsDependents()", () => {
  test.for([
    { case: "the Release's namespace, always", allowed: undefined, from: "shop", isAllowed: true },
    { case: "another one, by default", allowed: undefined, from: "web", isAllowed: false },
    { case: "one that it names", allowed: "api, web", from: "web", isAllowed: true },
    {
      case: "one whose name is only a part of a listed name",
      allowed: "webshop,api",
      from: "web",
      isAllowed: false,
    },
    { case: "any", allowed: "*", from: "web", isAllowed: true },
    { case: "nothing", allowed: "", from: "web", isAllowed: false },
  ])("$case: $isAllowed", ({ allowed, from, isAllowed }) => {
    const annotations: Record<string, string> =
      allowed === undefined ? {} : { "fairlead.dev/allow-dependents": allowed };
    expect(allowsDependents(aRelease({ annotations }), from)).toBe(isAllowed);
  });
});

describe("assessDependency()", () => {
  const revision = aCommit("a").id;
  const ready = {
    type: "Ready",
    status: "True",
    reason: "Reconciled",
    message: "",
    lastTransitionTime: "2026-11-21T12:00:00Z",
  } as const;
  const dependency = (more: Partial<NonNullable<ReleaseResource["status"]>> = {}, generation = 1) =>
    aRelease({
      name: "db",
      generation,
      status: { revision, attempted: revision, conditions: conditions(), ...more },
    });
  const conditions = (
    more: Partial<Record<"Ready" | "Applied" | "Healthy", Partial<Condition>>> = {},
  ): Condition[] =>
    (["Ready", "Applied", "Healthy"] as const).map((type) => ({
      ...ready,
      type,
      observedGeneration: 1,
      ...more[type],
    }));

  test.for([
    { case: "ready", of: dependency(), why: undefined },
    { case: "missing", of: undefined, why: "Release shop/db does not exist" },
    {
      case: "edited since",
      of: dependency({}, 2),
      why: "Release shop/db has not been reconciled since its spec was edited",
    },
    {
      case: "new",
      of: aRelease({ name: "db" }),
      why: "Release shop/db has not been reconciled since its spec was edited",
    },
    {
      case: "not ready",
      of: dependency({
        conditions: conditions({ Applied: { status: "False", reason: "Progressing" } }),
      }),
      why: "Release shop/db is not ready (Progressing)",
    },
    {
      case: "not healthy",
      of: dependency({ conditions: conditions({ Healthy: { status: "False", reason: "Failed" } }) }),
      why: "Release shop/db is not ready (Failed)",
    },
    {
      case: "healthy, while its source is unavailable",
      of: dependency({ conditions: conditions({ Ready: { status: "False", reason: "SourceUnreachable" } }) }),
      why: undefined,
    },
    {
      case: "healthy for an older spec, while the source in its current spec is unavailable",
      of: dependency(
        {
          conditions: conditions({
            Ready: { status: "False", reason: "SourceNotFound", observedGeneration: 2 },
          }),
        },
        2,
      ),
      why: "Release shop/db is not ready (SourceNotFound)",
    },
    {
      case: "suspended after it was healthy",
      of: aRelease({
        name: "db",
        generation: 2,
        spec: { suspend: true },
        status: {
          revision,
          conditions: conditions({ Ready: { reason: "Suspended", observedGeneration: 2 } }),
        },
      }),
      why: undefined,
    },
    {
      case: "deploying a newer commit",
      of: dependency({ attempted: aCommit("b").id }),
      why: "Release shop/db is not at its newest revision yet",
    },
  ])("$case: $why", ({ of, why }) => {
    expect(assessDependency("shop/db", of, { isCurrent: () => true })).toBe(why);
  });

  test("waits if there is a newer commit, and for a terminating Release", () => {
    expect(assessDependency("shop/db", dependency(), { isCurrent: () => false })).toBe(
      "Release shop/db is not at its newest revision yet",
    );
    const { metadata, ...rest } = dependency();
    const leaving = { ...rest, metadata: { ...metadata, deletionTimestamp: "2026-11-21T12:00:00Z" } };
    expect(assessDependency("shop/db", leaving, { isCurrent: () => true })).toBe(
      "Release shop/db is being deleted",
    );
  });
});
