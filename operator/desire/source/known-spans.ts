import type { CommitSpan, SpanAuthors } from "../../../crds/kind-source.ts";
import { shortId } from "../../../crds/short-id.ts";
import { SourceError } from "../../errors.ts";
import type { SourceRevision } from "../../git/source/ports.ts";
import { type FoundAuthors, type SpanProblem, spanLimits } from "../../git/source/span-authors.ts";
import type { Clock } from "../../ports.ts";

export interface KnownSpansOptions {
  readonly clock: Pick<Clock, "now">;
  /** Called when the authors of a span that the resource has requested are known. */
  readonly onChange: (key: string) => void;
}

/** The repository of a resource's history, and a mark that changes when a failed lookup may succeed. */
export interface SpanPlace {
  readonly revision: Pick<SourceRevision, "repositoryId" | "authorsOf">;
  /** After a change of it, failed lookups are repeated. */
  readonly mark: string;
}

export interface AskedSpans {
  readonly spans: readonly SpanAuthors[];
  /** There will be no event: request again after this many milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

interface Lookup {
  readonly mark: string;
  answer: SpanAuthors;
  /** Undefined: the lookup is repeated only after a change of the mark. */
  retryAtMs?: number;
}

interface Asked {
  readonly repositoryId: string;
  readonly lookups: Map<string, Lookup>;
}

/** Maximum number of spans of one resource. A tenant chooses their number. */
const SPANS = 32;
/** Delay before reading a repository again that could not be read. */
const RETRY_MS = 60_000;

/**
 * The authors of spans that resources request, from memory. A commit id identifies its whole history, so a known span stays
 * valid. The source zone receives no request for a resource without spans, or for known spans.
 */
export class KnownSpans {
  readonly #options: KnownSpansOptions;
  readonly #asked = new Map<string, Asked>();

  constructor(options: KnownSpansOptions) {
    this.#options = options;
  }

  /** The results for the last request of a resource. */
  known(key: string): readonly SpanAuthors[] {
    const lookups = this.#asked.get(key)?.lookups.values() ?? [];
    return [...lookups].map(({ answer }) => answer);
  }

  /** The authors of spans, in their order. Spans that are not requested again are removed from memory. */
  ask(key: string, spans: readonly CommitSpan[], place: SpanPlace): AskedSpans {
    if (spans.length === 0) {
      this.forget(key);
      return { spans: [] };
    }
    const { repositoryId } = place.revision;
    const before = this.#asked.get(key);
    const known = before?.repositoryId === repositoryId ? before.lookups : new Map<string, Lookup>();
    const lookups = new Map<string, Lookup>();
    this.#asked.set(key, { repositoryId, lookups });
    for (const span of spans) {
      const id = idOf(span);
      if (lookups.has(id)) continue;
      const last = known.get(id);
      if (last !== undefined && !this.#isDue(last, place)) lookups.set(id, last);
      else if (lookups.size >= SPANS) lookups.set(id, refused(span, place, `only ${SPANS} spans are read`));
      else lookups.set(id, this.#start(key, span, place));
    }
    return this.#answers(spans.flatMap((span) => lookups.get(idOf(span)) ?? []));
  }

  forget(key: string): void {
    this.#asked.delete(key);
  }

  #isDue({ answer, mark, retryAtMs }: Lookup, place: SpanPlace): boolean {
    if (answer.state !== "failed") return false;
    return mark !== place.mark || (retryAtMs !== undefined && retryAtMs <= this.#options.clock.now());
  }

  #answers(lookups: readonly Lookup[]): AskedSpans {
    const now = this.#options.clock.now();
    const retries = lookups.flatMap(({ retryAtMs }) => (retryAtMs === undefined ? [] : [retryAtMs - now]));
    return {
      spans: lookups.map(({ answer }) => answer),
      ...(retries.length > 0 && { retryAfterMs: Math.max(1, Math.min(...retries)) }),
    };
  }

  #start(key: string, { since, until }: CommitSpan, { revision, mark }: SpanPlace): Lookup {
    const span = { ...(since !== undefined && { since }), until };
    if (since === until) return { mark, answer: { ...span, state: "known", authors: [] } };
    if (![since ?? until, until].every(isCommitId))
      return refused(span, { mark }, "it does not begin and end with full ids of commits");
    const lookup: Lookup = { mark, answer: { ...span, state: "pending" } };
    void revision.authorsOf(span).then(
      (found) => this.#take(key, lookup, { answer: { ...span, ...answerOf(span, found) } }),
      (error: unknown) => {
        const why = error instanceof SourceError ? error.message : "the repository cannot be read";
        const answer = {
          ...span,
          state: "failed",
          message: `${nameOf(span)} cannot be read now: ${why}`,
        } as const;
        this.#take(key, lookup, { answer, retryAtMs: this.#options.clock.now() + RETRY_MS });
      },
    );
    return lookup;
  }

  #take(key: string, lookup: Lookup, found: Pick<Lookup, "answer" | "retryAtMs">): void {
    Object.assign(lookup, found);
    // The resource may have requested other spans in the meantime.
    if (this.#asked.get(key)?.lookups.get(idOf(lookup.answer)) === lookup) this.#options.onChange(key);
  }
}

function idOf({ since = "", until }: CommitSpan): string {
  return `${since}..${until}`;
}

function isCommitId(id: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id);
}

function refused({ since, until }: CommitSpan, { mark }: Pick<SpanPlace, "mark">, why: string): Lookup {
  const span = { ...(since !== undefined && { since }), until };
  return { mark, answer: { ...span, state: "failed", message: `${nameOf(span)} cannot be read: ${why}` } };
}

function answerOf(
  span: CommitSpan,
  found: FoundAuthors,
):
  | Pick<Extract<SpanAuthors, { readonly state: "known" }>, "state" | "authors">
  | Pick<Extract<SpanAuthors, { readonly state: "failed" }>, "state" | "message" | "isTooLong"> {
  if ("authors" in found) return { state: "known", authors: found.authors };
  const isTooLong = found.problem.is === "TooManyCommits" || found.problem.is === "TooManyAuthors";
  return { state: "failed", message: describe(span, found.problem), ...(isTooLong && { isTooLong }) };
}

/** Describes for users why the authors of a span cannot be read. Pure. */
function describe(span: CommitSpan, { is, commit }: SpanProblem): string {
  const { since, until } = span;
  switch (is) {
    case "MissingHistory":
      return `${nameOf(span)} is not complete in the repository`;
    case "NotAncestor":
      return `commit ${shortId(until)} does not come after commit ${shortId(since ?? "")}`;
    case "TooManyCommits":
      return `${nameOf(span)} has more than ${spanLimits.commits} commits`;
    case "TooManyAuthors":
      return `${nameOf(span)} has more than ${spanLimits.authors} authors`;
    case "Unreadable":
      return `the author of commit ${shortId(commit ?? until)} cannot be read`;
  }
}

function nameOf({ since, until }: CommitSpan): string {
  const from = since === undefined ? "" : ` from commit ${shortId(since)}`;
  return `the history${from} to commit ${shortId(until)}`;
}
