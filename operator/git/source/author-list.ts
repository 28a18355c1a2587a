import type { CommitSpan, SpanAuthor } from "../../../crds/kind-source.ts";
import type { Received } from "../../zones/outgoing-requests.ts";
import { EntryReader, encodeEntries } from "../entry-list.ts";
import { EMAIL_CHARACTERS, isEmail } from "./commit-author.ts";
import { authorsItem } from "./messages.ts";
import { type FoundAuthors, type SpanProblem, spanLimits } from "./span-authors.ts";
import type { AnswerReader, AskZone } from "./zone-files.ts";

const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The authors of a span in a clone of the source zone. @throws SourceError */
export async function zoneAuthors(
  { since, until }: CommitSpan,
  { repositoryId, ask }: { readonly repositoryId: string; readonly ask: AskZone },
): Promise<FoundAuthors> {
  const body = { repository: repositoryId, until, ...(since !== undefined && { since }) };
  return await ask("authors", { body }, () => new AuthorListReader());
}

/** Encodes authors in parts. The words of an entry are a commit and the address. */
export function encodeAuthors(authors: readonly SpanAuthor[]): Generator<Buffer> {
  return encodeEntries(authors.map(({ email, commit }) => [commit, email]));
}

/**
 * Reads the response to `authors`, which is untrusted: authors in parts, or the reason why they cannot be determined.
 */
export class AuthorListReader implements AnswerReader<FoundAuthors> {
  readonly #authors: SpanAuthor[] = [];
  readonly #entries = new EntryReader({
    entries: spanLimits.authors,
    characters: spanLimits.authors * EMAIL_CHARACTERS,
    words: 2,
  });
  #problem: SpanProblem | undefined;

  /** @throws RangeError, or an error of the schema, for anything except an item of a response. */
  take({ body, parts }: Received): void {
    if (this.#problem !== undefined) throw new RangeError("more than a problem");
    this.#problem = authorsItem.parse(body).problem;
    const before = this.#authors.length;
    for (const [commit = "", email = ""] of this.#entries.read(parts[0] ?? Buffer.alloc(0))) {
      if (!commitId.test(commit)) throw new RangeError("an author without a commit");
      if (!isEmail(email)) throw new RangeError("an author without an address");
      this.#authors.push({ email, commit });
    }
    if (this.#problem === undefined && this.#authors.length === before)
      throw new RangeError("an item without authors");
  }

  /** @throws RangeError without authors: every requested span has commits. */
  end(): FoundAuthors {
    if (this.#problem !== undefined) return { problem: this.#problem };
    if (this.#authors.length === 0) throw new RangeError("commits without authors");
    return { authors: this.#authors };
  }
}
