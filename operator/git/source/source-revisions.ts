import type { CommitSpan } from "../../../crds/kind-source.ts";
import type { SourceFailure } from "../../errors.ts";
import type { AuthorFinder } from "./author-finder.ts";
import type { FetchedClone, Poll } from "./fetched-clone.ts";
import type { SourceFiles, SourceRevision, SourceState } from "./ports.ts";
import type { SignatureCheck } from "./signature-check.ts";
import type { FoundPlace, SourcePlaces } from "./source-places.ts";
import { isSameWish, type SourceWish } from "./source-wish.ts";
import type { FoundAuthors } from "./span-authors.ts";
import { isSameData, type SecretData } from "./tenant.ts";
import { type SourceLimits, treeFiles } from "./tree-files.ts";
import { keepNewest } from "./tree-lookup.ts";

/** The request of one resource. */
export interface Want {
  readonly wish: SourceWish;
  /** Keys that may sign; undefined: no signature is required. */
  readonly signers: SecretData | undefined;
  readonly intervalMs: number;
  readonly requestedAt: string | undefined;
}

/** Whether the answers to two requests would be equal. */
export function isSamePlace(a: Want, b: Want): boolean {
  return isSameWish(a.wish, b.wish) && isSameData(a.signers, b.signers);
}

export interface SourceRevisionsOptions {
  readonly fetched: Pick<FetchedClone, "use">;
  readonly places: SourcePlaces;
  readonly signatures: SignatureCheck;
  readonly authors: Pick<AuthorFinder, "find" | "close">;
  readonly tenant: string;
  readonly limits: SourceLimits;
}

type Answer = SourceRevision | SourceFailure | undefined;

/** Converts the result of a poll to the answers for resources: folder, commits, files. */
export class SourceRevisions {
  readonly #options: SourceRevisionsOptions;
  /** The last answers, by ref and folder: a thousand resources with the same folder share one revision. */
  readonly #known = new Map<string, SourceRevision>();

  constructor(options: SourceRevisionsOptions) {
    this.#options = options;
  }

  /**
   * @param options.remembered Total number of wants: this many results are cached.
   * @returns In the order of the wants; undefined: not known yet; a poll will determine it.
   */
  async find(
    wants: readonly Want[],
    { targets, outage }: Poll,
    { remembered }: { readonly remembered: number },
  ): Promise<Answer[]> {
    const { fetched, places } = this.#options;
    const answers: Answer[] = [];
    const open: { readonly index: number; readonly want: Want; readonly commit: string }[] = [];
    for (const [index, want] of wants.entries()) {
      const target = targets.get(want.wish.refKey);
      if (target === undefined) answers[index] = outage;
      else if ("failure" in target) answers[index] = target.failure;
      else open.push({ index, want, commit: target.commit });
    }
    if (open.length === 0) return answers;
    await fetched
      .use(async (clone) => {
        const found = await places.find(
          clone,
          open.map(({ want: { wish }, commit }) => {
            const { placeKey, segments } = wish;
            return { placeKey, segments, commit };
          }),
        );
        for (const [at, { index, want, commit }] of open.entries()) {
          const place = found[at];
          if (place === undefined) continue;
          const refused =
            want.signers === undefined
              ? undefined
              : await this.#options.signatures.check(clone, commit, want.signers);
          answers[index] = refused ?? ("reason" in place ? place : this.#revisionOf(want.wish, place));
        }
      })
      // The clone is being recreated; these requests are answered afterwards.
      .catch(() => undefined);
    places.trim(remembered);
    keepNewest(this.#known, 2 * remembered + 100);
    return answers;
  }

  /**
   * Whether the folders of clients differ from those of their last answers.
   *
   * @returns In the order of the clients. Undefined: not known.
   */
  async areOther(
    clients: readonly { readonly want: Want; readonly state: SourceState }[],
    { targets }: Poll,
  ): Promise<(boolean | undefined)[]> {
    const { fetched, places } = this.#options;
    const asked = clients.map(({ want: { wish }, state }) => {
      const target = targets.get(wish.refKey);
      if (target === undefined || "failure" in target || state.state !== "ready") return undefined;
      return { segments: wish.segments, commit: target.commit, tree: state.revision.tree };
    });
    if (asked.every((one) => one === undefined)) return [];
    return await fetched.use((clone) => places.areOther(clone, asked)).catch(() => []);
  }

  /** The files of a tree in the clone. */
  filesOf(tree: string): SourceFiles {
    const { fetched, limits } = this.#options;
    return treeFiles({ tree, limits, use: (work) => fetched.use(work) });
  }

  /** The authors of the commits of a span. @throws SourceError */
  authorsOf(span: CommitSpan): Promise<FoundAuthors> {
    return this.#options.authors.find(span);
  }

  /** Waits for running reads. */
  async close(): Promise<void> {
    await this.#options.authors.close();
  }

  #revisionOf({ refKey, segments, placeKey }: SourceWish, place: FoundPlace): SourceRevision {
    const { fetched, places, tenant } = this.#options;
    const known = this.#known.get(placeKey);
    const { head, tree, changed, isAssumed } = place;
    if (known?.head.id === head.commit.id && known.tree === tree && known.changed.id === changed.id)
      return known;
    const revision: SourceRevision = {
      head: head.commit,
      changed,
      isAssumed,
      tree,
      repositoryId: tenant,
      lastChangeOf: async (paths) => {
        const subject = paths.map((path) => [
          ...segments,
          ...path.split("/").filter((part) => part !== "" && part !== "."),
        ]);
        return await fetched
          .use((clone) => places.lastChange(clone, head, refKey, subject))
          .catch(() => changed);
      },
      authorsOf: (span) => this.authorsOf(span),
      files: this.filesOf(tree),
    };
    this.#known.delete(placeKey);
    this.#known.set(placeKey, revision);
    return revision;
  }
}
