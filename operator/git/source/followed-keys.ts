import type { SourceFailure } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { IncomingRequest } from "../../zones/incoming-requests.ts";
import { toMessageText } from "../redact.ts";
import type { IsolationItem } from "../zone-messages.ts";
import type { LocalSources } from "./create-sources.ts";
import {
  type CountsItem,
  type FailureItem,
  MESSAGE,
  type StateItem,
  toFailureReason,
  type WantItem,
} from "./messages.ts";
import type { SourceRequest, SourceState } from "./ports.ts";

/** How often counters are compared with the values that were sent. */
const COUNTS_MS = 1_000;
/** How long sources are followed without an operator, because it may be restarting. */
const ABANDONED_MS = 300_000;

export interface FollowedKeysOptions {
  readonly sources: LocalSources;
  readonly hookCounts: () => CountsItem["hooks"];
  readonly isolation: IsolationItem["isolation"];
  readonly clock: Clock;
}

interface Wanted {
  readonly version: number;
  readonly request: SourceRequest;
}

/**
 * The requests of the operator to the source zone, and the states that were sent to it. A state is sent when it changes;
 * older states that were not sent are skipped.
 */
export class FollowedKeys {
  readonly #options: FollowedKeysOptions;
  readonly #wanted = new Map<string, Wanted>();
  /** Keys that the operator of this connection has requested; undefined: it has sent its complete list. */
  #mentioned: Set<string> | undefined;
  #changed = new Set<string>();
  #follower: IncomingRequest | undefined;
  #isSending = false;
  #sentCounts = "";
  #cancelEnd: (() => void) | undefined;
  /** Id of the operator process that sent the current requests. */
  #operator: unknown;

  constructor(options: FollowedKeysOptions) {
    this.#options = options;
  }

  /** Sends states until the connection ends. */
  async follow(request: IncomingRequest): Promise<void> {
    this.#cancelEnd?.();
    const { operator } = request.body as { readonly operator: number };
    // Numbers of one operator process have no meaning for the next one.
    if (operator !== this.#operator) this.#forget([...this.#wanted.keys()]);
    this.#operator = operator;
    this.#follower = request;
    this.#mentioned = new Set();
    this.#changed = new Set();
    this.#sentCounts = "";
    void request.send({ body: { isolation: this.#options.isolation } satisfies IsolationItem });
    this.#count(request);
    await new Promise<void>((resolve) => {
      request.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    if (this.#follower !== request) return;
    this.#follower = undefined;
    this.#cancelEnd = this.#options.clock.schedule(ABANDONED_MS, () =>
      this.#forget([...this.#wanted.keys()]),
    );
  }

  want({ body, parts }: IncomingRequest): void {
    for (const item of JSON.parse(String(parts[0])) as readonly WantItem[]) this.#want(item);
    const { complete } = body as { readonly complete: boolean };
    const mentioned = this.#mentioned;
    if (!complete || mentioned === undefined) return;
    this.#mentioned = undefined;
    this.#forget([...this.#wanted.keys()].filter((key) => !mentioned.has(key)));
  }

  /** Call it when the answers for these keys have changed. */
  changed(keys: readonly string[]): void {
    for (const key of keys) this.#changed.add(key);
    void this.#send();
  }

  stateOf(key: string): SourceState | undefined {
    const wanted = this.#wanted.get(key);
    return wanted && this.#options.sources.resolve(wanted.request);
  }

  *urls(): Generator<string> {
    for (const { request } of this.#wanted.values()) yield request.source.url;
  }

  #want({ key, version, request }: WantItem): void {
    if (request === undefined) {
      this.#forget([key]);
      return;
    }
    const { credentials, signers, requested, ...rest } = request;
    this.#mentioned?.add(key);
    this.#wanted.set(key, {
      version,
      request: {
        ...rest,
        key,
        revision: rest.revision,
        credentials: credentials && new Map(credentials),
        signers: signers && new Map(signers),
        requestedAt: requested === undefined ? undefined : String(requested),
      },
    });
    if (this.stateOf(key)?.state !== "pending") this.changed([key]);
  }

  #forget(keys: readonly string[]): void {
    for (const key of keys) {
      this.#wanted.delete(key);
      this.#changed.delete(key);
      this.#options.sources.forget(key);
    }
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (const key of this.#changed) {
      this.#changed.delete(key);
      const item = this.#itemOf(key);
      if (item !== undefined) await this.#follower?.send({ body: item });
    }
    this.#isSending = false;
    this.#sendCounts();
  }

  #itemOf(key: string): StateItem | undefined {
    const wanted = this.#wanted.get(key);
    const state = this.stateOf(key);
    if (wanted === undefined || state === undefined || state.state === "pending") return undefined;
    return { key, version: wanted.version, state: describe(state) };
  }

  #count(follower: IncomingRequest): void {
    if (this.#follower !== follower || follower.signal.aborted) return;
    this.#sendCounts();
    this.#options.clock.schedule(COUNTS_MS, () => this.#count(follower));
  }

  #sendCounts(): void {
    const { sources, hookCounts } = this.#options;
    const item: CountsItem = { counts: { ...sources.stats }, hooks: { ...hookCounts() } };
    const text = JSON.stringify(item);
    if (text !== this.#sentCounts) void this.#follower?.send({ body: item });
    this.#sentCounts = text;
  }
}

function describe(state: Exclude<SourceState, { readonly state: "pending" }>): StateItem["state"] {
  const { handledRequest } = state;
  const handled = handledRequest === undefined ? {} : { handled: Number(handledRequest) };
  if (state.state === "failed") return { ...shortened(state.failure), ...handled };
  const { revision, stale } = state;
  const { head, changed, tree, isAssumed } = revision;
  return {
    ...{ head, changed, tree },
    ...(isAssumed === true && { assumed: true }),
    ...handled,
    ...(stale !== undefined && { stale: shortened(stale) }),
  };
}

function shortened({ reason, message }: SourceFailure): FailureItem {
  return { reason: toFailureReason(reason), message: toMessageText(message, MESSAGE) };
}
