import type { Announcement } from "./transitions.ts";

/**
 * A failure of the repository affects every resource: one event for all resources of a kind reports it, on the first resource
 * that meets it, and another one reports its end. The condition of each resource contains it.
 */
export class OutageNotices {
  /** The last reported reason; `unknown` after a start. */
  #last: string | undefined = "unknown";
  /** Last reports about remotes of sources; each remote has its own. */
  readonly #remotes = new Set<string>();

  /** Whether an announcement should cause an event. A call counts as a report. */
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
