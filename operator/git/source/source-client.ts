import type { Look } from "./fetched-clone.ts";
import type { SourceState } from "./ports.ts";
import type { Want } from "./source-revisions.ts";
import type { RefWish } from "./source-wish.ts";

/** A resource with a source in a repository, and its last answer. */
export interface Client {
  want: Want;
  state: SourceState;
  handledRequest: string | undefined;
}

/** Whether no poll can change the answer to a resource, because a commit does not change. Pure. */
export function isSettled({ want, state, handledRequest }: Client): boolean {
  if (want.wish.ref.kind !== "commit" || state.state !== "ready") return false;
  return state.stale === undefined && state.handledRequest === handledRequest;
}

/** The commits that resources wait for, and that no poll has requested. Pure. */
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

/**
 * Whether resources wait for refs that the last poll did not request; after an outage, polls are retried anyway. Pure.
 */
export function hasUnasked(clients: Iterable<Client>, { targets, outage }: Look): boolean {
  if (outage !== undefined) return false;
  return [...clients].some(({ want, state }) => state.state === "pending" && !targets.has(want.wish.refKey));
}
