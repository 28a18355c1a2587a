import type { LiveObject, ObjectKind } from "../../../crds/object.ts";
import type { ObjectKindId } from "../../../synth/manifest.ts";
import type { KindAnswer } from "../../engine/desired-set.ts";
import type { Clock, Logger, Random } from "../../ports.ts";
import { Alarm } from "../../runtime/alarm.ts";
import { Backoff } from "../../runtime/backoff.ts";
import type { ApiTransport } from "../transport.ts";
import { DefinitionChanges } from "./definition-changes.ts";
import { Discovery } from "./discovery.ts";
import { kindsOfDefinition } from "./discovery-answer.ts";
import { KindQuestions } from "./kind-questions.ts";
import { KindTable } from "./kind-table.ts";
import type { KindCatalog } from "./ports.ts";

export interface KindCatalogInput {
  readonly transport: Pick<ApiTransport, "send">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Puts resources back into their queue, because there is an answer. */
  readonly wake: (keys: Iterable<string>) => void;
  /** The definition of a kind has changed. */
  readonly onDefinitionChanged?: (kind: ObjectKindId) => void;
}

/** Several who ask at the same time, and a definition that is written in two steps, are one look. */
const debounceMs = 20;
/** Between two looks, whatever changes meanwhile. */
const leastGapMs = 500;
/** A server that does not answer is asked again later and later. */
const outage = { initialMs: 1_000, factor: 2, capMs: 60_000, jitter: 0.2 } as const;

/**
 * Which kinds the cluster has, from discovery and from the CustomResourceDefinitions that resources bring. Nothing is
 * requested before the first question; then when an unknown kind is asked for, and when something that serves kinds
 * has changed.
 */
export class KubeKindCatalog implements KindCatalog {
  readonly #input: KindCatalogInput;
  readonly #discovery: Discovery;
  readonly #table = new KindTable();
  readonly #definitions: DefinitionChanges;
  readonly #questions: KindQuestions;
  readonly #alarm: Alarm;
  readonly #backoff: Backoff;
  #hasSynced = false;
  /** Error of the last discovery. */
  #failure: string | undefined;
  #isLooking = false;
  /** Something happened that the look under way may not have seen. */
  #isOutdated = false;
  #isClosed = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(input: KindCatalogInput) {
    this.#input = input;
    this.#discovery = new Discovery(input.transport);
    this.#definitions = new DefinitionChanges(input.clock);
    this.#questions = new KindQuestions(input.clock);
    this.#alarm = new Alarm(input.clock, () => void this.#look());
    this.#backoff = new Backoff(outage, input.random);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  find(apiVersion: string, kind: string): ObjectKind | undefined {
    const found = this.#table.find(apiVersion, kind);
    if (!this.#hasSynced) this.refresh();
    return found;
  }

  findGroupKind(group: string, kind: string): ObjectKind | undefined {
    if (!this.#hasSynced) this.refresh();
    return this.#table.findGroupKind(group, kind);
  }

  ask(apiVersion: string, kind: string, key: string): KindAnswer {
    const found = this.#table.find(apiVersion, kind);
    return found === undefined ? this.#seek({ apiVersion, kind }, key) : { state: "known", kind: found };
  }

  askGroupKind(group: string, kind: string, key: string): KindAnswer {
    const found = this.#table.findGroupKind(group, kind);
    if (found !== undefined) return { state: "known", kind: found };
    // Whatever the version is, no other kind of the group could be meant.
    return this.#seek({ apiVersion: group === "" ? "v1" : `${group}/*`, kind }, key);
  }

  refresh(): void {
    if (this.#isLooking) {
      this.#isOutdated = true;
      return;
    }
    // A server that does not answer is not asked more often because more is wanted of it.
    if (this.#failure !== undefined || this.#isClosed) return;
    const nowMs = this.#input.clock.now();
    this.#alarm.setFor(Math.max(nowMs + debounceMs, this.#lookedAtMs + leastGapMs));
  }

  isDefinitionNew(kind: ObjectKindId): boolean {
    return this.#definitions.areRecent(kind);
  }

  /**
   * Takes in a CustomResourceDefinition of ours as it is now: its kinds are known the moment it is established, and are
   * not when it goes. What else it changes, discovery tells.
   *
   * @param options.initial It was there before its watch began.
   */
  learn(crd: LiveObject, { initial = false }: { readonly initial?: boolean } = {}): void {
    const changed = this.#definitions.note(crd, { initial });
    if (changed !== undefined) this.#input.onDefinitionChanged?.(changed);
    this.#table.define(crd.metadata.name, kindsOfDefinition(crd));
    this.#answer();
    if (this.#hasSynced) this.refresh();
  }

  /** A CustomResourceDefinition of ours is gone. */
  unlearn(crd: LiveObject): void {
    this.#definitions.forget(crd);
    this.#table.define(crd.metadata.name, []);
    if (this.#hasSynced) this.refresh();
  }

  /** A resource is gone. */
  forget(key: string): void {
    this.#questions.forget(key);
  }

  /** Asks nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#alarm.clear();
  }

  #seek(wanted: { readonly apiVersion: string; readonly kind: string }, key: string): KindAnswer {
    const question = this.#questions.ask(wanted, key);
    if (!question.isAnswered) {
      // A look that is under way began too early for it; another one follows.
      if (!this.#isLooking) this.refresh();
      // A server that does not answer is said to be so, rather than waited for in silence.
      return this.#failure === undefined
        ? { state: "pending" }
        : { state: "unavailable", message: this.#failure };
    }
    this.#setAlarm();
    const { isStale, message } = this.#table.explain(wanted.apiVersion, wanted.kind);
    return { state: isStale ? "unavailable" : "absent", message };
  }

  async #look(): Promise<void> {
    const { clock, log } = this.#input;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#isOutdated = false;
    this.#lookedAtMs = clock.now();
    const asked = this.#questions.open();
    try {
      const discovered = await this.#discovery.read();
      if (discovered !== undefined) this.#table.replace(discovered);
      this.#hasSynced = true;
      this.#failure = undefined;
      this.#backoff.reset();
      this.#questions.answered(asked);
      this.#answer(asked);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
      log.debug("Cannot discover kinds", { error });
    } finally {
      this.#isLooking = false;
      if (this.#isOutdated || this.#questions.hasUnanswered) this.refresh();
      this.#setAlarm();
    }
  }

  #fail(message: string): void {
    const { clock, log } = this.#input;
    if (this.#isClosed) return;
    if (this.#failure === undefined) {
      log.warn("Cannot discover kinds", { why: message });
      this.#failure = message;
      // Once, so that they can say what they wait for.
      this.#input.wake(this.#questions.takeKeys(() => true));
    }
    this.#failure = message;
    this.#alarm.setFor(clock.now() + this.#backoff.next(clock.now()));
  }

  /** Puts those back who wait for a kind that is known by now, or who have just been answered. */
  #answer(asked: ReturnType<KindQuestions["open"]> = []): void {
    const isKnown = ({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean =>
      apiVersion.endsWith("/*")
        ? this.#table.findGroupKind(apiVersion.slice(0, -2), kind) !== undefined
        : this.#table.find(apiVersion, kind) !== undefined;
    const keys = this.#questions.takeKeys((question) => asked.includes(question) || isKnown(question));
    if (keys.size > 0) this.#input.wake(keys);
  }

  #setAlarm(): void {
    const nextMs = this.#questions.nextMs;
    if (nextMs !== undefined && this.#failure === undefined && !this.#isClosed) this.#alarm.setFor(nextMs);
  }
}

/** The catalog of one cluster's kinds. */
export function createKindCatalog(input: KindCatalogInput): KubeKindCatalog {
  return new KubeKindCatalog(input);
}
