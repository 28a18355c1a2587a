import type { Announcement } from "./transitions.ts";

/**
 * What is wrong with the repository is wrong for every resource: it is told once for all resources of a kind, by the
 * first one that meets it, and once when it is over. Conditions tell it on each.
 */
export class OutageNotices {
  /** The reason that was told last; `unknown` after a start, because what was told before is not known. */
  #told: string | undefined = "unknown";
  /** What was told of remotes that resources come from; each has words of its own. */
  readonly #remotes = new Set<string>();

  /** Whether an announcement is worth an event. Asking counts as telling. */
  isNews({ type, reason, action, note }: Announcement): boolean {
    if (action === "Source") return this.#isNewsOfRemote({ type, reason, note });
    if (action !== "Publish") return true;
    const next = type === "Warning" ? reason : undefined;
    const isNews = next !== this.#told;
    this.#told = next;
    return isNews;
  }

  #isNewsOfRemote({ type, reason, note }: Omit<Announcement, "action">): boolean {
    if (type === "Warning" && reason !== "SourceUnreachable") return true;
    const isNews = type === "Warning" ? !this.#remotes.has(note) : this.#remotes.size > 0;
    if (type === "Warning") this.#remotes.add(note);
    else this.#remotes.clear();
    return isNews;
  }
}
