import type { Look } from "./fetched-clone.ts";
import type { SourceState } from "./ports.ts";
import type { Want } from "./source-revisions.ts";
import type { RefWish } from "./source-wish.ts";

/** A resource that comes from a repository, and what it was told. */
export interface Client {
  want: Want;
  state: SourceState;
  handledRequest: string | undefined;
}

/** Whether no look can change what a resource is told: a commit stays what it is. Pure. */
export function isSettled({ want, state, handledRequest }: Client): boolean {
  if (want.wish.ref.kind !== "commit" || state.state !== "ready") return false;
  return state.stale === undefined && state.handledRequest === handledRequest;
}

/** The commits that resources wait for, and that no look has asked for. Pure. */
export function unknownCommits(
  clients: Iterable<Client>,
  { targets }: Pick<Look, "targets">,
): ReadonlyMap<string, RefWish> {
  const unknown = new Map<string, RefWish>();
  for (const { want, state } of clients) {
    const { ref, refKey } = want.wish;
    if (state.state === "pending" && ref.kind === "commit" && !targets.has(refKey)) unknown.set(refKey, ref);
  }
  return unknown;
}

/** Whether resources wait for refs that the last look did not ask for; an outage is retried by itself. Pure. */
export function hasUnasked(clients: Iterable<Client>, { targets, outage }: Look): boolean {
  if (outage !== undefined) return false;
  return [...clients].some(({ want, state }) => state.state === "pending" && !targets.has(want.wish.refKey));
}
