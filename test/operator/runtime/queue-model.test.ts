import fc from "fast-check";
import { expect, test } from "vitest";
import { type Handout, WorkQueue } from "../../../operator/runtime/queue.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { limitRuns } from "../../long.ts";

/** The queue, as simple as it can be said: a list of wishes, looked through from start to end every time. */
class Model {
  wishes: { key: string; priority: number; atMs: number; isReady: boolean; order: number; turn: number }[] =
    [];
  inHands = new Set<string>();
  failures = new Map<string, number>();
  #order = 0;
  /** By priority and namespace: turns that were given. By priority: the turn that was taken last. */
  #given = new Map<string, number>();
  #taken = new Map<number, number>();

  add(key: string, priority: number, atMs: number, nowMs: number): void {
    const wish = this.wishes.find((one) => one.key === key);
    if (wish === undefined) {
      const isReady = atMs <= nowMs;
      const made = { key, priority, atMs, isReady, order: this.#order++, turn: 0 };
      this.wishes.push(made);
      if (isReady) this.#takeTurn(made);
      return;
    }
    const isRaised = priority > wish.priority;
    wish.priority = Math.max(wish.priority, priority);
    if (wish.isReady) {
      if (isRaised) this.#takeTurn(wish);
    } else if (atMs <= nowMs) this.#makeReady(wish);
    else wish.atMs = Math.min(wish.atMs, atMs);
  }

  advance(nowMs: number): void {
    const due = this.wishes.filter(({ isReady, atMs }) => !isReady && atMs <= nowMs);
    for (const wish of due.toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)) this.#makeReady(wish);
  }

  /** The key that is handed out next, if any. */
  take(): Handout | undefined {
    const [best] = this.wishes
      .filter(({ key, isReady }) => isReady && !this.inHands.has(key))
      .toSorted((a, b) => b.priority - a.priority || a.turn - b.turn || a.order - b.order);
    if (best === undefined) return undefined;
    this.#taken.set(best.priority, Math.max(best.turn, this.#taken.get(best.priority) ?? 0));
    this.wishes = this.wishes.filter((wish) => wish !== best);
    this.inHands.add(best.key);
    return { key: best.key, priority: best.priority };
  }

  retryDelay(key: string): number {
    const failures = this.failures.get(key) ?? 0;
    this.failures.set(key, failures + 1);
    return Math.min(5 * 2 ** failures, 1_000_000);
  }

  #makeReady(wish: Model["wishes"][number]): void {
    wish.isReady = true;
    this.#takeTurn(wish);
  }

  #takeTurn(wish: Model["wishes"][number]): void {
    const { key, priority } = wish;
    const namespace = `${priority} ${key.split("/").slice(0, -1)}`;
    wish.turn = Math.max(this.#taken.get(priority) ?? 0, (this.#given.get(namespace) ?? -1) + 1);
    this.#given.set(namespace, wish.turn);
    wish.order = this.#order++;
  }
}

interface Real {
  readonly queue: WorkQueue;
  readonly clock: FakeClock;
}

const key = fc.constantFrom("a", "b", "x/a", "x/b", "x/c", "y/a", "y/b");
const priority = fc.constantFrom(-100, 0, 0, 7);
// Few distinct delays, apart from those of retries, so that ties between keys are as likely as order.
const afterMs = fc.constantFrom(0, 0, 7, 7, 23, 1_001);

class Add implements fc.AsyncCommand<Model, Real> {
  readonly #key: string;
  readonly #priority: number;
  readonly #afterMs: number;
  constructor(name: string, priority: number, afterMs: number) {
    this.#key = name;
    this.#priority = priority;
    this.#afterMs = afterMs;
  }
  check = (): boolean => true;
  async run(model: Model, { queue, clock }: Real): Promise<void> {
    model.add(this.#key, this.#priority, clock.now() + this.#afterMs, clock.now());
    queue.add(this.#key, { priority: this.#priority, afterMs: this.#afterMs });
  }
  toString = (): string => `add(${this.#key}, ${this.#priority}, ${this.#afterMs})`;
}

class Retry implements fc.AsyncCommand<Model, Real> {
  readonly #key: string;
  constructor(name: string) {
    this.#key = name;
  }
  check = (): boolean => true;
  async run(model: Model, { queue, clock }: Real): Promise<void> {
    model.add(this.#key, 0, clock.now() + model.retryDelay(this.#key), clock.now());
    queue.retry(this.#key);
  }
  toString = (): string => `retry(${this.#key})`;
}

class Forget implements fc.AsyncCommand<Model, Real> {
  readonly #key: string;
  constructor(name: string) {
    this.#key = name;
  }
  check = (): boolean => true;
  async run(model: Model, { queue }: Real): Promise<void> {
    model.failures.delete(this.#key);
    queue.forget(this.#key);
  }
  toString = (): string => `forget(${this.#key})`;
}

/** Takes only when something is ready: who waits for a key is the subject of another test. */
class Take implements fc.AsyncCommand<Model, Real> {
  check = (model: Model): boolean =>
    model.wishes.some(({ key, isReady }) => isReady && !model.inHands.has(key));
  async run(model: Model, { queue }: Real): Promise<void> {
    expect(await queue.take()).toEqual(model.take());
  }
  toString = (): string => "take()";
}

class Done implements fc.AsyncCommand<Model, Real> {
  readonly #key: string;
  constructor(name: string) {
    this.#key = name;
  }
  check = (): boolean => true;
  async run(model: Model, { queue }: Real): Promise<void> {
    model.inHands.delete(this.#key);
    queue.done(this.#key);
  }
  toString = (): string => `done(${this.#key})`;
}

class Advance implements fc.AsyncCommand<Model, Real> {
  readonly #ms: number;
  constructor(ms: number) {
    this.#ms = ms;
  }
  check = (): boolean => true;
  async run(model: Model, { clock }: Real): Promise<void> {
    await clock.advance(this.#ms);
    model.advance(clock.now());
  }
  toString = (): string => `advance(${this.#ms})`;
}

function depthsOf({ wishes }: Model): Map<number, number> {
  const depths = new Map<number, number>();
  for (const { priority, isReady } of wishes) {
    if (isReady) depths.set(priority, (depths.get(priority) ?? 0) + 1);
  }
  return depths;
}

class Measure implements fc.AsyncCommand<Model, Real> {
  check = (): boolean => true;
  async run(model: Model, { queue }: Real): Promise<void> {
    expect(queue.measure().depths).toEqual(depthsOf(model));
  }
  toString = (): string => "measure()";
}

test("WorkQueue behaves like the simplest queue, for any order of operations", async () => {
  const commands = fc.commands(
    [
      fc.tuple(key, priority, afterMs).map((args) => new Add(...args)),
      key.map((name) => new Retry(name)),
      key.map((name) => new Forget(name)),
      key.map((name) => new Done(name)),
      fc.constant(new Take()),
      fc.constant(new Take()),
      fc.constant(new Measure()),
      fc.constantFrom(1, 6, 17, 1_100).map((ms) => new Advance(ms)),
    ],
    { maxCommands: 60, size: "max" },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const clock = new FakeClock();
      const real = { queue: new WorkQueue({ clock }), clock };
      await fc.asyncModelRun(() => ({ model: new Model(), real }), sequence);
    }),
    { numRuns: limitRuns(300) },
  );
});

test("no key is lost, processed twice at a time or stuck, with several workers at random speeds", async () => {
  const step = fc.record({
    name: key,
    priority,
    afterMs,
    pauseMs: fc.constantFrom(0, 0, 1, 10),
    workMs: fc.constantFrom(0, 3, 50),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60, size: "max" }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, workers) => {
        const clock = new FakeClock();
        const queue = new WorkQueue({ clock });
        const running = new Set<string>();
        const startedAtMs = new Map<string, number>();
        const addedAtMs = new Map<string, number>();
        let speed = 0;
        const work = async (): Promise<void> => {
          for (let handout = await queue.take(); handout !== undefined; handout = await queue.take()) {
            const { key } = handout;
            expect(running.has(key)).toBe(false);
            running.add(key);
            startedAtMs.set(key, clock.now());
            const workMs = steps[speed++ % steps.length]?.workMs ?? 0;
            if (workMs > 0) await new Promise<void>((resolve) => clock.schedule(workMs, resolve));
            running.delete(key);
            queue.done(key);
          }
        };
        const ended = Promise.all(Array.from({ length: workers }, work));
        for (const { name, priority, afterMs, pauseMs } of steps) {
          queue.add(name, { priority, afterMs });
          addedAtMs.set(name, clock.now());
          if (pauseMs > 0) await clock.advance(pauseMs);
        }
        await clock.advance(60_000);
        // Nothing is lost: each key ran once more after it was last added.
        for (const [name, atMs] of addedAtMs) expect(startedAtMs.get(name)).toBeGreaterThanOrEqual(atMs);
        expect([running.size, queue.measure().depths.size]).toEqual([0, 0]);
        queue.shutDown();
        await ended;
      },
    ),
    { numRuns: limitRuns(60) },
  );
});
