import { WatchError } from "../errors.ts";

/** The next action of a reflector: read all objects (again), by a list if necessary, or continue to watch. */
export type Step = "fill" | "list" | "watch";

/** How one attempt to list or watch ended. */
export interface Outcome {
  readonly by: "list" | "watch-list" | "watch";
  /** The requested resourceVersion; empty for the newest. */
  readonly resourceVersion: string;
  /** All objects are in the store (as at the start of a plain watch). */
  readonly filled: boolean;
  /** An event was received. */
  readonly received: boolean;
  /** The watch lasted for at least a second. */
  readonly lasted: boolean;
  /** Undefined: finished, or closed normally by the server. */
  readonly error: unknown;
  /** Events may have lacked fields, because the kind's definition has changed: see `WatchEnd`. Default: false. */
  readonly mayLackFields?: boolean;
}

/** `initializing`: the API server fills its own cache of a kind, such as one that was just installed. */
export type Finding = "missing" | "forbidden" | "initializing" | "failing";

export interface Next {
  readonly step: Step;
  /** `kind`: until the kind may have been installed. */
  readonly wait: "none" | "backoff" | "kind";
  /** The result of the attempt. `missing` and similar texts are for users; a normal end has none. */
  readonly finding?: Finding;
  /** The last resourceVersion cannot be used: request the newest. */
  readonly versionUnusable?: true;
  /** Initial events through a watch: not until a watch lasts again, or never with this server. */
  readonly watchList?: "distrusted" | "unsupported";
}

type Failure = "expired" | "busy" | "missing" | "forbidden" | "unsupported" | "cut" | "other";

/** Decides what follows an attempt, as client-go's reflector does. Pure. */
export function decideNext(outcome: Outcome): Next {
  const next = decideStep(outcome);
  return next.finding === "failing" && isInitializing(outcome.error)
    ? { ...next, finding: "initializing" }
    : next;
}

function decideStep(outcome: Outcome): Next {
  const failure = outcome.error === undefined ? undefined : classify(outcome.error);
  if (failure === "missing") return { step: "fill", wait: "kind", finding: "missing" };
  if (failure === "forbidden") return { step: "fill", wait: "backoff", finding: "forbidden" };
  if (outcome.by === "list") return afterList(outcome, failure);
  return outcome.filled ? afterWatch(outcome, failure) : afterInitialEvents(outcome, failure);
}

function afterList({ resourceVersion }: Outcome, failure: Failure | undefined): Next {
  if (failure === undefined) return { step: "watch", wait: "none" };
  if (failure === "expired" && resourceVersion !== "")
    return { step: "list", wait: "none", versionUnusable: true };
  return { step: "fill", wait: "backoff", finding: "failing" };
}

function afterInitialEvents(
  { resourceVersion, received, lasted }: Outcome,
  failure: Failure | undefined,
): Next {
  switch (failure) {
    case "expired":
      return resourceVersion === ""
        ? { step: "fill", wait: "backoff", finding: "failing" }
        : { step: "fill", wait: "none", versionUnusable: true };
    case "busy":
      return { step: "fill", wait: "backoff", finding: "failing" };
    case "unsupported":
      return { step: "list", wait: "none", watchList: "unsupported" };
    case "other":
      return { step: "list", wait: "none", watchList: "distrusted" };
    default:
      // Truncated: the received part is discarded, and requested again.
      if (received || lasted) return { step: "fill", wait: "backoff", finding: "failing" };
      return { step: "list", wait: "none", watchList: "distrusted" };
  }
}

function afterWatch({ received, lasted, mayLackFields }: Outcome, failure: Failure | undefined): Next {
  switch (failure) {
    case undefined:
      if (mayLackFields === true) return { step: "fill", wait: lasted ? "none" : "backoff" };
      if (lasted) return { step: "watch", wait: "none" };
      // Closed at once: a broken server, or a proxy, must not keep us in a hot loop.
      if (received) return { step: "watch", wait: "backoff" };
      return { step: "fill", wait: "backoff", finding: "failing" };
    case "cut":
      // The resourceVersion is still valid, so no list is needed.
      if (lasted) return { step: "watch", wait: "none" };
      return { step: "watch", wait: "backoff", ...(!received && { finding: "failing" }) };
    case "busy":
      return { step: "watch", wait: "backoff", finding: "failing" };
    case "expired":
      // The list at the last resourceVersion ('not older than') may still be available.
      return { step: "fill", wait: "backoff" };
    default:
      return { step: "fill", wait: "backoff", finding: "failing" };
  }
}

/** The answer while the API server has no watch cache of the kind yet. */
function isInitializing(error: unknown): boolean {
  return (
    error instanceof WatchError && error.status === 429 && /storage is \(re\)initializing/.test(error.message)
  );
}

function classify(error: unknown): Failure {
  if (!(error instanceof WatchError)) return "other";
  const { status, refused, message } = error;
  if (refused || status === 429) return "busy";
  if (status === 410 || (status === 504 && /too large resource version/i.test(message))) return "expired";
  if (status === 404) return "missing";
  if (status === 403) return "forbidden";
  // Responses of servers that do not support or allow sendInitialEvents.
  if (status === 400 || status === 422) return "unsupported";
  return status === 0 ? "cut" : "other";
}
