import { describe, expect, test } from "vitest";
import type { SourceState } from "../../../../operator/git/source/ports.ts";
import {
  awaitedCommits,
  type Client,
  hasUnasked,
  isSettled,
  newClient,
  noteAsked,
  noteHandled,
} from "../../../../operator/git/source/source-client.ts";
import type { Want } from "../../../../operator/git/source/source-revisions.ts";
import type { RefWish } from "../../../../operator/git/source/source-wish.ts";

const id = "a".repeat(40);
const failure = { reason: "SourceUnreachable", message: "down" } as const;
const ready = { state: "ready", revision: {}, handledRequest: undefined } as SourceState;
const pending: SourceState = { state: "pending" };

function aClient(ref: RefWish, state: SourceState, handledRequest?: string): Client {
  const refKey = ref.kind === "commit" ? ref.id : "refs/heads/main";
  return { want: { wish: { ref, refKey } }, state, handledRequest } as Client;
}

const commit: RefWish = { kind: "commit", id };
const branch: RefWish = { kind: "ref", ref: "refs/heads/main" };

describe("isSettled()", () => {
  test.for<readonly [string, Client, boolean]>([
    ["a commit that was found", aClient(commit, ready), true],
    ["a commit that is waited for", aClient(commit, pending), false],
    ["a commit that could not be had", aClient(commit, { state: "failed", failure }), false],
    ["a commit with a problem since", aClient(commit, { ...ready, stale: failure } as SourceState), false],
    ["a commit with an answered request to tell", aClient(commit, ready, "now"), false],
    ["a branch", aClient(branch, ready), false],
  ])("%s: %s", ([, client, expected]) => {
    expect(isSettled(client)).toBe(expected);
  });
});

test("awaitedCommits() returns the awaited commits that no poll has requested, heads apart", () => {
  const clients = [
    aClient(commit, pending),
    aClient(branch, pending),
    aClient({ ...commit, id: "b" }, ready),
  ];
  const [unknown, none] = [new Map([[id, commit]]), new Map()];
  const head = { commit: id };
  expect(awaitedCommits(clients, { targets: none })).toEqual({ heads: none, unknown });
  expect(awaitedCommits(clients, { targets: new Map([[id, head]]) })).toEqual({ heads: none, unknown: none });
  const targets = new Map([["refs/heads/main", head]]);
  expect(awaitedCommits(clients, { targets })).toEqual({ heads: new Map([[id, head]]), unknown: none });
});

test("hasUnasked() is true for refs that the last poll did not request, and not during an outage", () => {
  const targets = new Map([[id, { commit: id }]]);
  expect(hasUnasked([aClient(commit, pending)], { targets, outage: undefined })).toBe(false);
  expect(hasUnasked([aClient(branch, pending)], { targets, outage: undefined })).toBe(true);
  expect(hasUnasked([aClient(branch, pending)], { targets, outage: failure })).toBe(false);
  expect(hasUnasked([aClient(branch, ready)], { targets, outage: undefined })).toBe(false);
});

describe("a request for a poll", () => {
  const ref: RefWish = { kind: "ref", ref: "refs/heads/main" };
  const asked = new Map([["refs/heads/main", ref]]);
  const wanting = (requestedAt: string | undefined): Want =>
    ({ wish: { ref, refKey: "refs/heads/main" }, requestedAt }) as Want;

  test("is handled by a poll that started after it", () => {
    const client = newClient(wanting(undefined), undefined);
    client.want = wanting("one");
    noteAsked([client]);
    noteHandled([client], asked);
    expect(client.handledRequest).toBe("one");
  });

  test("is not handled by a poll that was running", () => {
    const client = newClient(wanting(undefined), undefined);
    noteAsked([client]);
    client.want = wanting("one");
    noteHandled([client], asked);
    expect(client.handledRequest).toBeUndefined();
  });

  test("is not handled by a running poll if the resource wants another place since then", () => {
    const before = newClient(wanting("one"), undefined);
    noteAsked([before]);
    const client = newClient(wanting("two"), before);
    noteHandled([client], asked);
    expect(client.handledRequest).toBe("one");
  });

  test("is not handled by a poll of other refs", () => {
    const client = newClient(wanting("one"), undefined);
    noteHandled([client], new Map());
    expect(client.handledRequest).toBeUndefined();
  });
});
