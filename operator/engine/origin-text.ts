/** The source commit of a resource. Its author and subject are untrusted text. */
export interface CommitOrigin {
  /** Full id. */
  readonly id: string;
  readonly author: string;
  readonly subject: string;
}

const longestAuthor = 100;
const longestSubject = 200;

/** Control and format characters, line ends, and invalid characters. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]+/gu;

/**
 * Texts on which git hosts act anywhere in a message, and their replacements, which have a space that disables them:
 * references that close issues, mentions, addresses, and words in brackets or asterisks that skip CI.
 */
const directives: readonly (readonly [found: RegExp, shown: string])[] = [
  [/#/g, "# "],
  // Git hosts ignore `@` after a letter, so keep it there: names of users are often e-mail addresses.
  [/(?<![A-Za-z0-9_])@/g, "@ "],
  [/:\/\//g, ": //"],
  [/\bgh-/gi, "GH- "],
  [/\[/g, "("],
  [/\]/g, ")"],
  [/\*{3,}/g, "* * *"],
];

/**
 * `commit 6f1c… by Ann: Ship 1.4.2`, for the body of a commit message: one line of bounded length, on which no git host
 * acts. Pure.
 */
export function describeOrigin({ id, author, subject }: CommitOrigin): string {
  const commit = /^[0-9a-f]{40,64}$/.exec(id)?.[0] ?? "of unknown id";
  return `commit ${commit} by ${quoteText(author, longestAuthor)}: ${quoteText(subject, longestSubject)}`;
}

/** Quotes untrusted text as one line of bounded length, on which no git host acts. Pure. */
export function quoteText(text: string, longest: number): string {
  // Cut first, so that a long text takes no time.
  const cut = text.slice(0, longest).toWellFormed().replaceAll(unsafe, " ");
  return directives
    .reduce((safe, [found, shown]) => safe.replaceAll(found, shown), cut)
    .replaceAll(/ +/g, " ")
    .trim();
}
