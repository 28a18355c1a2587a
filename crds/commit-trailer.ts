/** One line of the last paragraph of a commit's message. */
export interface CommitTrailer {
  /** Words joined by hyphens, such as `Approved-By`. */
  readonly key: string;
  /** Any text. It becomes one line of limited length. */
  readonly value: string;
}
