import type { SourceFailure } from "../../errors.ts";
import type { StateItem, WantItem } from "./messages.ts";
import type { SourceRequest, SourceRevision, SourceState } from "./ports.ts";
import { answerOf, isSameAnswer } from "./source-answer.ts";
import { isSameData, isSameQuestion, tenantOf } from "./tenant.ts";

/** The source of one resource, in the operator's memory. */
interface Followed {
  request: SourceRequest;
  version: number;
  state: SourceState;
  /** Of `request.requestedAt`. */
  requested: number | undefined;
  /** Values of the annotation that may still be reported as handled, by their numbers, oldest first. */
  readonly requests: Map<number, string>;
}

export interface FollowedSourcesOptions {
  /** Versions of requests count from here. Each start of the operator begins with a different number. */
  readonly firstNumber: number;
  /** The revision in a state of the zone. */
  readonly revisionOf: (
    about: Pick<SourceRevision, "head" | "changed" | "isAssumed" | "tree" | "repositoryId">,
    key: string,
  ) => SourceRevision;
}

/** The requests to the source zone and its answers, by resource. Does no I/O. */
export class FollowedSources {
  readonly #options: FollowedSourcesOptions;
  readonly #followed = new Map<string, Followed>();
  #lastNumber: number;

  constructor(options: FollowedSourcesOptions) {
    this.#options = options;
    this.#lastNumber = options.firstNumber;
  }

  get keys(): Iterable<string> {
    return this.#followed.keys();
  }

  /** The answer to a resource's last request. */
  stateOf(key: string): SourceState | undefined {
    return this.#followed.get(key)?.state;
  }

  /** Records a request. @returns The answer, and whether the request must be sent to the zone. */
  want(request: SourceRequest): { readonly state: SourceState; readonly isNews: boolean } {
    const { key, intervalMs, requestedAt } = request;
    const known = this.#followed.get(key);
    if (known !== undefined && isSameWant(known.request, request)) {
      const isNews = known.request.intervalMs !== intervalMs || known.request.requestedAt !== requestedAt;
      if (known.request.requestedAt !== requestedAt) this.#note(known, requestedAt);
      known.request = request;
      return { state: known.state, isNews };
    }
    const followed: Followed = {
      request,
      version: ++this.#lastNumber,
      state: { state: "pending" },
      requested: known?.requested,
      requests: known?.requests ?? new Map(),
    };
    if (known === undefined || known.request.requestedAt !== requestedAt) this.#note(followed, requestedAt);
    this.#followed.set(key, followed);
    return { state: followed.state, isNews: true };
  }

  /** @returns Whether it was followed. */
  forget(key: string): boolean {
    return this.#followed.delete(key);
  }

  /** The request of a resource as it is sent to the zone. */
  itemOf(key: string): WantItem {
    const followed = this.#followed.get(key);
    if (followed === undefined) return { key, version: 0 };
    const { version, requested } = followed;
    const { source, revision, intervalMs, repositoryBytes, credentials, signers } = followed.request;
    return {
      key,
      version,
      request: {
        ...{ source, revision, intervalMs, repositoryBytes, requested },
        credentials: credentials && [...credentials],
        signers: signers && [...signers],
      },
    };
  }

  /** Records a state of the zone. A failure never replaces a revision. @returns Whether the answer changed. */
  take({ key, version, state: now }: StateItem): boolean {
    const followed = this.#followed.get(key);
    // An answer to an earlier request.
    if (followed?.version !== version) return false;
    const handledRequest = this.#handled(followed, now.handled);
    if ("reason" in now) {
      const { reason, message } = now;
      return this.#answer(
        followed,
        { reason, message },
        undefined,
        handledRequest ?? handledIn(followed.state),
      );
    }
    const { head, changed, assumed: isAssumed = false, tree, stale } = now;
    const { source, credentials, repositoryBytes } = followed.request;
    const repositoryId = tenantOf(source.url, credentials, repositoryBytes);
    const revision = this.#options.revisionOf({ head, changed, isAssumed, tree, repositoryId }, key);
    return this.#answer(followed, revision, stale, handledRequest);
  }

  /**
   * Marks all answers as stale, because the zone is unreachable; revisions stay. @returns The keys whose answers
   * changed.
   */
  markAll(outage: SourceFailure): string[] {
    const notified: string[] = [];
    for (const [key, followed] of this.#followed) {
      const { state } = followed;
      const now = state.state === "ready" ? state.revision : outage;
      if (state.state === "failed") continue;
      if (this.#answer(followed, now, outage, handledIn(state))) notified.push(key);
    }
    return notified;
  }

  #answer(
    followed: Followed,
    now: SourceRevision | SourceFailure,
    outage: SourceFailure | undefined,
    handledRequest: string | undefined,
  ): boolean {
    const before = followed.state;
    followed.state = answerOf({ before, now, outage, handledRequest });
    return !isSameAnswer(before, followed.state);
  }

  #note(followed: Followed, requestedAt: string | undefined): void {
    followed.requested = requestedAt === undefined ? undefined : ++this.#lastNumber;
    if (followed.requested !== undefined && requestedAt !== undefined)
      followed.requests.set(followed.requested, requestedAt);
  }

  /** The value of the annotation that the zone refers to; older values are dropped. */
  #handled({ requests, state }: Followed, handled: number | undefined): string | undefined {
    if (handled === undefined) return undefined;
    const text = requests.get(handled);
    if (text === undefined) return handledIn(state);
    for (const number of requests.keys()) if (number < handled) requests.delete(number);
    return text;
  }
}

function isSameWant(a: SourceRequest, b: SourceRequest): boolean {
  return isSameQuestion(a, b) && isSameData(a.signers, b.signers);
}

function handledIn(state: SourceState): string | undefined {
  return state.state === "pending" ? undefined : state.handledRequest;
}
