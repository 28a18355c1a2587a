import type { Announcement } from "./transitions.ts";

/**
 * Limits the events about a failure of the repository, which affects every resource: for each kind, one event reports the
 * failure, on the first resource that encounters it, and another one reports its end. Each resource has it in a condition.
 */
export class OutageNotices {
  /** The last reported reason; `unknown` after a start of the operator. */
  #last: string | undefined = "unknown";
  /** The last report about each remote of sources. */
  readonly #remotes = new Set<string>();

  /** Whether an announcement should cause an event. Records the announcement as reported. */
  isNew({ type, reason, action, note }: Announcement): boolean {
    if (action === "Source") return this.#isNewOfRemote({ type, reason, note });
    if (action !== "Publish") return true;
    const next = type === "Warning" ? reason : undefined;
    const isNew = next !== this.#last;
    this.#last = next;
    return isNew;
  }

  #isNewOfRemote({ type, reason, note }: Omit<Announcement, "action">): boolean {
    if (type === "Warning" && reason !== "SourceUnreachable") return true;
    const isNew = type === "Warning" ? !this.#remotes.has(note) : this.#remotes.size > 0;
    if (type === "Warning") this.#remotes.add(note);
    else this.#remotes.clear();
    return isNew;
  }
}
