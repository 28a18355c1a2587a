import { describe, expect, test } from "vitest";
import { chanceFrom } from "../../../rig/faults/random.ts";
import { makeAction } from "../../../rig/tenants/actions.ts";
import { findViolations } from "../../../rig/tenants/find-violations.ts";
import type { AuditEvent } from "../../cluster/audit-log.ts";

const operator = "system:serviceaccount:home:operator";
const parties = { operator, home: "home", victim: "a", attacker: "b" };
const since = new Date("2026-11-22T12:00:00Z");
const quiet = { quietSince: since };

interface Seen {
  readonly verb?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly user?: string;
  readonly as?: string;
  readonly code?: number;
  readonly at?: string;
  readonly uri?: string;
}

function anEvent(seen: Seen): AuditEvent {
  const { verb = "patch", resource = "configmaps", namespace = "a", user = operator, as, code = 200 } = seen;
  return {
    verb,
    requestURI: seen.uri ?? "/",
    requestReceivedTimestamp: seen.at ?? "2026-11-22T12:00:01Z",
    user: { username: user },
    ...(as !== undefined && { impersonatedUser: { username: as } }),
    objectRef: { resource, namespace, name: seen.name ?? "x" },
    responseStatus: { code },
  };
}

describe("findViolations()", () => {
  test.for([
    { does: "the operator deletes with its own rights", event: { verb: "delete", namespace: "b" }, found: 1 },
    {
      does: "the operator acts outside the namespace of the account",
      event: { namespace: "b", as: "system:serviceaccount:a:deployer" },
      found: 1,
    },
    {
      does: "the operator adds the key of records in its own namespace",
      event: { resource: "secrets", namespace: "home", name: "fairlead-records" },
      found: 0,
    },
    {
      does: "the operator writes another Secret there",
      event: { resource: "secrets", namespace: "home" },
      found: 1,
    },
    { does: "the attacker writes", event: { user: "system:serviceaccount:b:tenant" }, found: 1 },
    {
      does: "the operator writes an object of a quiet tenant",
      event: { as: "system:serviceaccount:a:deployer" },
      found: 1,
    },
    { does: "the operator writes the Release of a quiet tenant", event: { resource: "releases" }, found: 1 },
    {
      does: "it did so before the tenant was quiet",
      event: { resource: "releases", at: "2026-11-22T11:59:59Z" },
      found: 0,
    },
    { does: "the API server refused it", event: { verb: "delete", code: 403 }, found: 0 },
    { does: "it was a dry run", event: { uri: "/x?dryRun=All" }, found: 0 },
    { does: "it only reads", event: { verb: "list" }, found: 0 },
    {
      does: "the operator acts for the attacker",
      event: { namespace: "b", as: "system:serviceaccount:b:deployer" },
      found: 0,
    },
    {
      does: "a controller of Kubernetes writes",
      event: { user: "system:kube-controller-manager" },
      found: 0,
    },
  ])("$does: $found", ({ event, found }) => {
    expect(findViolations([anEvent(event)], parties, quiet)).toHaveLength(found);
  });

  test("allows writes of the operator for a tenant that edits", () => {
    const events = [anEvent({ as: "system:serviceaccount:a:deployer" }), anEvent({ resource: "releases" })];
    expect(findViolations(events, parties, { quietSince: undefined })).toEqual([]);
  });
});

describe("makeAction()", () => {
  test("creates the same actions for the same seed, and every action eventually", () => {
    const movesOf = (seed: number) => {
      const chance = chanceFrom(seed);
      return Array.from({ length: 300 }, () => makeAction(chance));
    };
    expect(movesOf(3)).toEqual(movesOf(3));
    expect(movesOf(3)).not.toEqual(movesOf(4));
    expect([...new Set(movesOf(3).map(({ does }) => does))].toSorted()).toEqual([
      "annotate",
      "commit",
      "forge",
      "leave",
      "plant",
      "publish",
      "release",
      "remove",
      "unhold",
    ]);
  });
});
