import type { CommitSpan } from "../../../crds/kind-source.ts";
import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { SourceError } from "../../errors.ts";
import type { FetchedClone } from "./fetched-clone.ts";
import { toProcessFailure } from "./remote-failure.ts";
import type { SourceRepositoryOptions } from "./repository-options.ts";
import { SourceClone, type SourceCloneOptions } from "./source-clone.ts";
import { FetchTooBigError, type SourceRemote } from "./source-remote.ts";
import { type FoundAuthors, findSpanAuthors, spanLimits } from "./span-authors.ts";

export interface AuthorFinderOptions
  extends SourceCloneOptions,
    Pick<SourceRepositoryOptions, "polls" | "stats"> {
  readonly fetched: Pick<FetchedClone, "use">;
  readonly remote: Pick<SourceRemote, "fetch">;
  /** Of one of the resources that come from it. */
  readonly namespace: () => string;
}

/** A history over this is not fetched. Commits alone have a few hundred bytes each. */
const HISTORY_BYTES = 64 * 1024 * 1024;

/**
 * Finds the authors of spans of one repository, one span at a time. The clone is shallow, so it may lack commits of a
 * span: then only the commits are fetched, into a separate clone, which is deleted at once. In the clone itself they
 * would be commits without files, and a later fetch would assume that their files exist.
 */
export class AuthorFinder {
  readonly #options: AuthorFinderOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AuthorFinderOptions) {
    this.#options = options;
  }

  /** @throws SourceError if the repository cannot be read now */
  async find(span: CommitSpan): Promise<FoundAuthors> {
    const found = this.#last.then(() => this.#find(span));
    this.#last = found.catch(() => undefined);
    return await found;
  }

  /** Waits for what is being read. */
  async close(): Promise<void> {
    await this.#last;
  }

  async #find(span: CommitSpan): Promise<FoundAuthors> {
    const { found, format } = await this.#options.fetched.use(async (clone) => ({
      found: await findSpanAuthors(span, clone.reader),
      format: clone.format,
    }));
    const isWhole = !("problem" in found) || found.problem.is !== "MissingHistory";
    return isWhole ? found : ((await this.#findInHistory(span, format)) ?? found);
  }

  /** @returns Undefined: the remote does not give the history. */
  async #findInHistory(span: CommitSpan, format: ObjectFormat): Promise<FoundAuthors | undefined> {
    const { base, remote, polls, namespace, stats } = this.#options;
    const permit = await polls.acquire("history", namespace());
    try {
      const clone = await SourceClone.open({ ...this.#options, base: `${base}-history` });
      try {
        if (clone.format !== format) await clone.rebuild(format);
        const refs = new Map([[span.until, "refs/fairlead/until"]]);
        const depth = spanLimits.commits + 1;
        stats.fetches++;
        await remote.fetch(clone, { refs, depth, growthBytes: HISTORY_BYTES, filter: "tree:0" });
        return await findSpanAuthors(span, clone.reader);
      } finally {
        await clone.release({ remove: true });
      }
    } catch (error) {
      if (error instanceof FetchTooBigError) return { problem: { is: "TooManyCommits" } };
      const failure = toProcessFailure(error);
      if (isNotGiven(failure)) return undefined;
      throw failure;
    } finally {
      permit.release();
    }
  }
}

/** Whether the remote answers, and has no such commit, or does not give a part of its history. */
function isNotGiven({ message }: SourceError): boolean {
  return /no such commit|damaged or harmful|shallow fetches/.test(message);
}
