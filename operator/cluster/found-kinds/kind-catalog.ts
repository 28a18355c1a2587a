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
  /** Requeues resources, because there is an answer. */
  readonly wake: (keys: Iterable<string>) => void;
  /** Called when the definition of a kind has changed. */
  readonly onDefinitionChanged?: (kind: ObjectKindId) => void;
}

/** Several concurrent requests, and a definition that is written in two steps, cause one discovery. */
const debounceMs = 20;
/** Minimum interval between two discoveries. */
const leastGapMs = 500;
/** Backoff for a server that does not respond. */
const outage = { initialMs: 1_000, factor: 2, capMs: 60_000, jitter: 0.2 } as const;

/**
 * Which kinds the cluster has, from discovery and from the CustomResourceDefinitions that resources deploy. The first
 * discovery is made at the first lookup; further ones when an unknown kind is looked up, and when an object that serves
 * kinds has changed.
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
  /** Something happened that the running discovery may not include. */
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
    // Independent of the version, only this kind of the group can be meant.
    return this.#seek({ apiVersion: group === "" ? "v1" : `${group}/*`, kind }, key);
  }

  refresh(): void {
    if (this.#isLooking) {
      this.#isOutdated = true;
      return;
    }
    // More lookups do not shorten the backoff of a server that does not respond.
    if (this.#failure !== undefined || this.#isClosed) return;
    const nowMs = this.#input.clock.now();
    this.#alarm.setFor(Math.max(nowMs + debounceMs, this.#lookedAtMs + leastGapMs));
  }

  isDefinitionNew(kind: ObjectKindId): boolean {
    return this.#definitions.areRecent(kind);
  }

  /**
   * Records the current state of a CustomResourceDefinition of a set: its kinds are known as soon as it is established,
   * and no longer when it is being deleted. Discovery finds its other changes.
   *
   * @param options.initial It existed before its watch started.
   */
  learn(crd: LiveObject, { initial = false }: { readonly initial?: boolean } = {}): void {
    const changed = this.#definitions.note(crd, { initial });
    if (changed !== undefined) this.#input.onDefinitionChanged?.(changed);
    this.#table.define(crd.metadata.name, kindsOfDefinition(crd));
    this.#answer();
    if (this.#hasSynced) this.refresh();
  }

  /** Records the deletion of a CustomResourceDefinition of a set. */
  unlearn(crd: LiveObject): void {
    this.#definitions.forget(crd);
    this.#table.define(crd.metadata.name, []);
    if (this.#hasSynced) this.refresh();
  }

  /** Records the deletion of a resource. */
  forget(key: string): void {
    this.#questions.forget(key);
  }

  /** Stops all further discoveries. */
  close(): void {
    this.#isClosed = true;
    this.#alarm.clear();
  }

  #seek(wanted: { readonly apiVersion: string; readonly kind: string }, key: string): KindAnswer {
    const question = this.#questions.ask(wanted, key);
    if (!question.isAnswered) {
      // The running discovery started too early for it; another one follows.
      if (!this.#isLooking) this.refresh();
      // An unresponsive server is reported, instead of waiting without a message.
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
      // Once, so that they can report what they wait for.
      this.#input.wake(this.#questions.takeKeys(() => true));
    }
    this.#failure = message;
    this.#alarm.setFor(clock.now() + this.#backoff.next(clock.now()));
  }

  /** Requeues the resources that wait for a kind which is now known, or whose question was just answered. */
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
