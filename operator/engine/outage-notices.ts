import type { Reason } from "../../crds/conditions.ts";
import type { Transition } from "./transitions.ts";

/** Maximum number of locations whose last report is remembered. */
const mostLocations = 1_000;

/** Failures of a remote or a repository, which affect every resource that uses it. Any other failure concerns one resource. */
const outages: ReadonlySet<string | undefined> = new Set<Reason>([
  "SourceUnreachable",
  "PushRefused",
  "RepositoryUnreachable",
  "RepositoryOwned",
]);

/** The last event about a location: the reason of its outage, or that the outage is over. */
type Report = string | "over";

/**
 * Limits the events about an outage of a remote or a repository: for each kind and each location, one event reports the outage, on
 * the first resource that encounters it, and another one reports its end. Each resource has it in a condition.
 */
export class OutageNotices {
  /** The last report of each location, by action and location. */
  readonly #last = new Map<string, Report>();

  /**
   * Whether a transition should cause an event. Records it as reported.
   *
   * @param location URL of the source, or place in the repository; undefined: it is unknown, and all events about it are reported.
   */
  isNew({ type, reason, action, ended }: Transition, location: string | undefined): boolean {
    const failure = type === "Warning" ? reason : ended;
    if (!outages.has(failure) || location === undefined) return true;
    const key = `${action} ${location}`;
    const last = this.#last.get(key);
    const next: Report = type === "Warning" ? reason : "over";
    this.#last.delete(key);
    this.#last.set(key, next);
    const [oldest] = this.#last.keys();
    if (this.#last.size > mostLocations && oldest !== undefined) this.#last.delete(oldest);
    return next !== last;
  }
}
