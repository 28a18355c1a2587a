import type { CommitSpan, SpanAuthor, SpanAuthors } from "../../crds/kind-source.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { ReleasePolicy } from "../../crds/release-policy.ts";
import { shortId } from "../../crds/short-id.ts";

/** User names by e-mail address of commits, in lower case. */
export type CommitAuthors = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Reads the users of e-mail addresses from all ReleasePolicies. An address in several entries belongs to all of their
 * users. A policy that this version cannot parse is ignored. Pure.
 */
export function readCommitAuthors(policies: readonly KubernetesObject[]): CommitAuthors {
  const users = new Map<string, Set<string>>();
  for (const { spec } of policies) {
    for (const { user, emails } of ReleasePolicy.spec.safeParse(spec).data?.authors ?? []) {
      for (const email of emails) users.getOrInsertComputed(email.toLowerCase(), () => new Set()).add(user);
    }
  }
  return users;
}

export interface FindAuthorsInput {
  readonly authors: CommitAuthors;
  readonly pipeline: string;
  readonly stage: string;
}

/** The users who wrote the commits, or why they are not known. */
export type KnownAuthors = { readonly users: ReadonlySet<string> } | { readonly unknown: string };

/** Maximum number of authors in a message. */
const mostNamed = 3;

/**
 * The users who wrote the commits since the stage's current one. An unmapped address makes them unknown, because the
 * author of a commit is free text: the address could belong to any user. Pure.
 *
 * @param span Undefined: the source is not known.
 */
export function findAuthors(
  span: SpanAuthors | undefined,
  { authors, pipeline, stage }: FindAuthorsInput,
): KnownAuthors {
  if (span === undefined) return { unknown: "the commits since the stage's current one are not known" };
  if (span.state === "pending") return { unknown: "the authors of the commits are being read" };
  if (span.state === "failed") {
    const remedy = span.isTooLong === true ? `; ${remedyFor(span, `${pipeline} ${stage}`)}` : "";
    return { unknown: `the authors of the commits are not known: ${span.message}${remedy}` };
  }
  const missing = span.authors.filter(({ email }) => !authors.has(email.toLowerCase()));
  if (missing.length > 0)
    return { unknown: `no ReleasePolicy names in spec.authors the author of ${listAuthors(missing)}` };
  return {
    users: new Set(span.authors.flatMap(({ email }) => [...(authors.get(email.toLowerCase()) ?? [])])),
  };
}

/** Instruction for the user of a stage whose span is too long to read. No Approval can count for it. */
function remedyFor({ since, until }: CommitSpan, stage: string): string {
  const bypass = `a user with the verb bypass runs: fairlead promote ${stage} ${until} --bypass Approvals --reason TEXT`;
  if (since !== undefined) return `promote an earlier commit first, or ${bypass}`;
  return `the stage has no current commit, so its whole history counts, and ${bypass}`;
}

function listAuthors(authors: readonly SpanAuthor[]): string {
  const named = authors
    .slice(0, mostNamed)
    .map(({ email, commit }) => `commit ${shortId(commit)} (${redactEmail(email)})`);
  const others = authors.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join(" and ");
}

/** Shortens an address to its first character and its host. The commit contains the whole address. Pure. */
export function redactEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email;
  return at < 1 ? `${first}…` : `${first}…${[...email.slice(at)].slice(0, 65).join("")}`;
}
