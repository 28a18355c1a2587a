import type { Clock } from "../../ports.ts";
import { delayAfterFailures } from "../../runtime/backoff.ts";

/** Delays until discovery is repeated for a kind that does not exist. */
const delays = { initialMs: 60_000, factor: 2, capMs: 600_000 };

/** An unknown kind, and the resources that wait for it. */
export interface KindQuestion {
  readonly apiVersion: string;
  readonly kind: string;
  readonly keys: Set<string>;
  /** A discovery that started after the question has not found it. */
  isAnswered: boolean;
  /** Time of the next discovery for it. */
  dueMs: number;
  /** Number of discoveries that have not found it. */
  looks: number;
}

/**
 * Kinds that discovery did not find. Each question is repeated after a minute, and then with backoff, as long
 * as a key needs the answer.
 */
export class KindQuestions {
  readonly #clock: Clock;
  readonly #questions = new Map<string, KindQuestion>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a question waits for a discovery that has not started. */
  get hasUnanswered(): boolean {
    return this.#questions.values().some(({ isAnswered, keys }) => !isAnswered && keys.size > 0);
  }

  /** When the next question is due; undefined: there is none. */
  get nextMs(): number | undefined {
    const due = this.#questions
      .values()
      .filter(({ isAnswered, keys }) => isAnswered && keys.size > 0)
      .map(({ dueMs }) => dueMs)
      .toArray();
    return due.length === 0 ? undefined : Math.min(...due);
  }

  ask({ apiVersion, kind }: Pick<KindQuestion, "apiVersion" | "kind">, key: string): KindQuestion {
    const question = this.#questions.getOrInsertComputed(`${apiVersion}/${kind}`, () => ({
      apiVersion,
      kind,
      keys: new Set<string>(),
      isAnswered: false,
      dueMs: Number.POSITIVE_INFINITY,
      looks: 0,
    }));
    question.keys.add(key);
    return question;
  }

  /** The questions that a discovery starting now will answer; those without keys are dropped. */
  open(): readonly KindQuestion[] {
    for (const [name, { keys, isAnswered }] of this.#questions) {
      if (keys.size === 0 && isAnswered) this.#questions.delete(name);
    }
    const nowMs = this.#clock.now();
    return [...this.#questions.values()].filter(({ isAnswered, dueMs }) => !isAnswered || dueMs <= nowMs);
  }

  /** Records the end of a discovery for these questions. */
  answered(questions: readonly KindQuestion[]): void {
    const nowMs = this.#clock.now();
    for (const question of questions) {
      question.looks++;
      question.isAnswered = true;
      question.dueMs = nowMs + delayAfterFailures(question.looks, delays);
    }
  }

  /** Removes a key from all questions. */
  forget(key: string): void {
    for (const { keys } of this.#questions.values()) keys.delete(key);
  }

  /** Removes and returns the keys that wait for an answer to such questions; they ask again if they still need it. */
  takeKeys(isWanted: (question: KindQuestion) => boolean): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const [name, question] of this.#questions) {
      if (!isWanted(question)) continue;
      for (const key of question.keys) keys.add(key);
      question.keys.clear();
      // Asked before the server responded: its failures are counted from zero.
      if (!question.isAnswered) this.#questions.delete(name);
    }
    return keys;
  }
}
