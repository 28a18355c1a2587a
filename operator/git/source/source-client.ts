import type { SourceFailure } from "../../errors.ts";
import type { Poll } from "./fetched-clone.ts";
import type { SourceRevision, SourceState } from "./ports.ts";
import { answerOf, isSameAnswer } from "./source-answer.ts";
import type { Target } from "./source-heads.ts";
import type { Want } from "./source-revisions.ts";
import type { RefWish } from "./source-wish.ts";

/** A resource with a source in a repository, and its last answer. */
export interface Client {
  want: Want;
  state: SourceState;
  /** Its request for a poll when the running poll started, or when it was added during that poll. */
  asked: string | undefined;
  handledRequest: string | undefined;
}

/** A client that has no answer. @param known Its earlier request for another place. Pure. */
export function newClient(want: Want, known: Client | undefined): Client {
  const { asked, handledRequest } = known ?? { asked: want.requestedAt, handledRequest: undefined };
  return { want, state: { state: "pending" }, asked, handledRequest };
}

/** The refs of all clients. Pure. */
export function wishesOf(clients: Iterable<Client>): ReadonlyMap<string, RefWish> {
  const wishes = new Map<string, RefWish>();
  for (const { want } of clients) wishes.set(want.wish.refKey, want.wish.ref);
  return wishes;
}

/** The shortest interval of all clients in milliseconds; Infinity: there are none. Pure. */
export function shortestInterval(clients: Iterable<Client>): number {
  let shortestMs = Number.POSITIVE_INFINITY;
  for (const { want } of clients) shortestMs = Math.min(shortestMs, want.intervalMs);
  return shortestMs;
}

/** Notes which requests a poll that starts now will handle. */
export function noteAsked(clients: Iterable<Client>): void {
  for (const client of clients) client.asked = client.want.requestedAt;
}

/** Notes which requests were handled by a poll of these refs. */
export function noteHandled(clients: Iterable<Client>, asked: ReadonlyMap<string, RefWish>): void {
  for (const client of clients) {
    if (client.asked === client.handledRequest || !asked.has(client.want.wish.refKey)) continue;
    client.handledRequest = client.asked;
  }
}

/**
 * Gives clients their answers.
 *
 * @param found In the order of the clients.
 * @param options.isCurrent Whether a client still wants this answer.
 * @returns The keys of those whose answers differ from the last ones.
 */
export function giveAnswers(
  clients: readonly (readonly [key: string, client: Client])[],
  found: readonly (SourceRevision | SourceFailure | undefined)[],
  { outage, isCurrent }: Pick<Poll, "outage"> & { isCurrent: (key: string, client: Client) => boolean },
): string[] {
  const notified: string[] = [];
  for (const [index, [key, client]] of clients.entries()) {
    const now = found[index];
    if (now === undefined || !isCurrent(key, client)) continue;
    const { state: before, handledRequest, want } = client;
    const ofRemote = want.wish.ref.kind === "commit" ? undefined : outage;
    client.state = answerOf({ before, now, outage: ofRemote, handledRequest });
    if (!isSameAnswer(before, client.state)) notified.push(key);
  }
  return notified;
}

/** Whether a poll may change the answer: it is a failure, and not about a commit, which does not change. Pure. */
export function mayBeOld({ want }: Client, found: SourceRevision | SourceFailure | undefined): boolean {
  return found !== undefined && "reason" in found && want.wish.ref.kind !== "commit";
}

/** Whether no poll can change the answer to a resource, because a commit does not change. Pure. */
export function isSettled({ want, state, handledRequest }: Client): boolean {
  if (want.wish.ref.kind !== "commit" || state.state !== "ready") return false;
  return state.stale === undefined && state.handledRequest === handledRequest;
}

/**
 * The commits that resources wait for, and that no poll has requested. Pure.
 *
 * @returns Those that are heads of the last poll, and those that are unknown.
 */
export function awaitedCommits(
  clients: Iterable<Client>,
  { targets }: Pick<Poll, "targets">,
): { readonly heads: ReadonlyMap<string, Target>; readonly unknown: ReadonlyMap<string, RefWish> } {
  const [heads, unknown] = [new Map<string, Target>(), new Map<string, RefWish>()];
  for (const { want, state } of clients) {
    const { ref, refKey } = want.wish;
    if (state.state === "pending" && ref.kind === "commit" && !targets.has(refKey)) unknown.set(refKey, ref);
  }
  if (unknown.size === 0) return { heads, unknown };
  for (const target of targets.values())
    if ("commit" in target && unknown.delete(target.commit)) heads.set(target.commit, target);
  return { heads, unknown };
}

/**
 * Whether resources wait for refs that the last poll did not request; after an outage, polls are retried anyway. Pure.
 */
export function hasUnasked(clients: Iterable<Client>, { targets, outage }: Poll): boolean {
  if (outage !== undefined) return false;
  return [...clients].some(({ want, state }) => state.state === "pending" && !targets.has(want.wish.refKey));
}
