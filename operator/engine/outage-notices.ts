import type { Announcement } from "./transitions.ts";

/** Maximum number of remotes whose last report is remembered. */
const mostRemotes = 1_000;

/**
 * Limits the events about a failure of a repository, which affects every resource that uses it: for each kind, one event reports
 * the failure, on the first resource that encounters it, and another one reports its end. Each resource has it in a condition.
 */
export class OutageNotices {
  /** The last reported reason of the repository for rendered files; `unknown` after a start of the operator. */
  #last: string | undefined = "unknown";
  /** The type of the last report about each remote of sources, by URL. */
  readonly #remotes = new Map<string, Announcement["type"]>();

  /**
   * Whether an announcement should cause an event. Records the announcement as reported.
   *
   * @param remote URL of the resource's source; undefined: it is unknown, and all events about it are reported.
   */
  isNew({ type, reason, action }: Announcement, remote?: string): boolean {
    if (action === "Source") return remote === undefined || this.#isNewOfRemote({ type, reason }, remote);
    if (action !== "Publish") return true;
    const next = type === "Warning" ? reason : undefined;
    const isNew = next !== this.#last;
    this.#last = next;
    return isNew;
  }

  #isNewOfRemote({ type, reason }: Pick<Announcement, "type" | "reason">, remote: string): boolean {
    if (type === "Warning" && reason !== "SourceUnreachable") return true;
    const last = this.#remotes.get(remote);
    this.#remotes.delete(remote);
    this.#remotes.set(remote, type);
    const [oldest] = this.#remotes.keys();
    if (this.#remotes.size > mostRemotes && oldest !== undefined) this.#remotes.delete(oldest);
    return type !== last;
  }
}
