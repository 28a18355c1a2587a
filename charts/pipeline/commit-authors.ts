import type { KubernetesObject } from "../../crds/object.ts";
import { ReleasePolicy } from "../../crds/release-policy.ts";

/** User names by e-mail address of commits, in lower case. */
export type CommitAuthors = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Reads the users of e-mail addresses from all ReleasePolicies, which only the platform writes. An address in several
 * entries belongs to all of their users. A policy that this version cannot read maps nothing. Pure.
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

/** The users who wrote some commits, or why they are not known. */
export type KnownAuthors = { readonly users: ReadonlySet<string> } | { readonly unknown: string };

/**
 * The users who wrote the commits since the stage's current one. The author of a commit is free text, so an unmapped
 * address could belong to any user. Pure.
 *
 * @param emails Addresses of the authors of all these commits. Undefined: the history is not complete.
 */
export function findAuthors(emails: readonly string[] | undefined, authors: CommitAuthors): KnownAuthors {
  if (emails === undefined) return { unknown: "the commits since the stage's current one are not all known" };
  const missing = emails.filter((email) => !authors.has(email.toLowerCase()));
  if (missing.length > 0) {
    const named = [...new Set(missing)].toSorted().map((email) => `"${email}"`);
    return { unknown: `no ReleasePolicy says in spec.authors whose e-mail address ${named.join(", ")} is` };
  }
  return { users: new Set(emails.flatMap((email) => [...(authors.get(email.toLowerCase()) ?? [])])) };
}
