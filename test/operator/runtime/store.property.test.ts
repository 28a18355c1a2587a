import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyOf, type LiveObject } from "../../../crds/object.ts";
import type { WatchEvent } from "../../../operator/runtime/ports.ts";
import { WatchedStore } from "../../../operator/runtime/store.ts";
import { aLiveObject, widgets } from "../../fakes/objects.ts";
import { limitRuns } from "../../long.ts";

type Move =
  | { readonly do: "put" | "delete"; readonly by: "us" | "others"; readonly name: string }
  | { readonly do: "answer"; readonly which: number }
  | { readonly do: "deliver"; readonly count: number }
  | { readonly do: "bookmark" | "gap" | "list" };

const names = fc.constantFrom("a", "b", "c");
const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("put"), by: fc.constantFrom("us", "others"), name: names }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("delete"), by: fc.constantFrom("us", "others"), name: names }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("answer"), which: fc.nat(5) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("deliver"), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("bookmark", "gap", "list") }) },
);

/** Scripts that once failed. */
const found: [Move[]][] = [
  // The watch showed an object late whose place one of ours had taken, which we removed again.
  [
    [
      { do: "put", by: "us", name: "a" },
      { do: "put", by: "us", name: "a" },
      { do: "answer", which: 3 },
      { do: "delete", by: "others", name: "a" },
      { do: "put", by: "us", name: "a" },
      { do: "delete", by: "us", name: "a" },
    ],
  ],
];

/** A server, the watch's stream and answers under way, all as late as the moves say; checks as it goes. */
class Simulation {
  readonly store = new WatchedStore({
    kind: widgets,
    indexes: { uid: ({ metadata }) => metadata.uid },
  });
  readonly #objects = new Map<string, LiveObject>();
  readonly #events: WatchEvent[] = [];
  readonly #answers: (() => void)[] = [];
  /** Last change by others: key → version. */
  readonly #byOthers = new Map<string, { version: number; uid: string }>();
  /** The object of a key at the last call of the handlers; undefined: none. */
  readonly #told = new Map<string, LiveObject | undefined>();
  readonly #newestOfUid = new Map<string, number>();
  readonly #removed = new Set<string>();
  /** Bookmarks may make the store forget a removal; a straggler may then be seen for a moment. */
  #bookmarks = 0;
  #version = 1;
  #delivered = 0;
  #list: { readonly objects: ReadonlyMap<string, LiveObject>; readonly version: number } | undefined;

  constructor() {
    const tell = (object: LiveObject) => void this.#told.set(keyOf(object), this.store.get(keyOf(object)));
    this.store.subscribe({ added: tell, updated: (_, object) => tell(object), deleted: tell });
  }

  async play(move: Move): Promise<void> {
    switch (move.do) {
      case "put":
        this.#put(move.name, move.by);
        break;
      case "delete":
        this.#delete(move.name, move.by);
        break;
      case "answer":
        this.#answers.splice(move.which % Math.max(1, this.#answers.length), 1)[0]?.();
        break;
      case "deliver":
        this.#deliver(move.count);
        break;
      case "bookmark":
        this.#bookmark();
        break;
      case "gap":
        this.#list ??= { objects: new Map(this.#objects), version: this.#version };
        break;
      case "list":
        await this.#finishList();
    }
    this.#checkOrder();
  }

  /** Everything arrives; then the store must be the server's equal, and handlers must have heard. */
  async finish(): Promise<void> {
    await this.#finishList();
    for (const answer of this.#answers.splice(0)) answer();
    this.#deliver(Number.POSITIVE_INFINITY);
    this.#checkOrder();
    expect(new Map([...this.store.list()].map((object) => [keyOf(object), object]))).toEqual(this.#objects);
    for (const object of this.#objects.values())
      expect(this.store.byIndex("uid", object.metadata.uid)).toEqual([object]);
    for (const key of ["shop/a", "shop/b", "shop/c"]) this.#checkTold(key);
  }

  #put(name: string, by: "us" | "others"): void {
    const current = this.#objects.get(`shop/${name}`);
    const resourceVersion = String(++this.#version);
    const uid = current?.metadata.uid ?? `${name}-${resourceVersion}`;
    const object = aLiveObject({ name, uid, resourceVersion });
    this.#objects.set(keyOf(object), object);
    this.#events.push({ type: current === undefined ? "ADDED" : "MODIFIED", object });
    if (by === "us") this.#answers.push(() => this.store.written(object));
    else this.#byOthers.set(keyOf(object), { version: this.#version, uid });
  }

  #delete(name: string, by: "us" | "others"): void {
    const key = `shop/${name}`;
    const current = this.#objects.get(key);
    if (current === undefined) return;
    const { uid } = current.metadata;
    this.#objects.delete(key);
    this.#events.push({
      type: "DELETED",
      object: aLiveObject({ name, uid, resourceVersion: String(++this.#version) }),
    });
    if (by === "others") this.#byOthers.delete(key);
    else
      this.#answers.push(() => {
        if (this.store.get(key)?.metadata.uid === uid) this.#removed.add(uid);
        this.store.removed(key, uid);
      });
  }

  #deliver(count: number): void {
    if (this.#list !== undefined) return;
    const end = Math.min(this.#events.length, this.#delivered + count);
    for (const event of this.#events.slice(this.#delivered, end)) {
      this.store.apply(event);
      this.#checkOrder();
    }
    this.#delivered = end;
  }

  #bookmark(): void {
    if (this.#list !== undefined) return;
    this.#bookmarks++;
    // Versions count from 2, one event each.
    const resourceVersion = String(this.#delivered + 1);
    this.store.apply({ type: "BOOKMARK", resourceVersion, initialEventsEnd: false });
  }

  async #finishList(): Promise<void> {
    if (this.#list === undefined) return;
    const { objects, version } = this.#list;
    await this.store.replace(objects, String(version));
    this.#delivered = version - 1;
    this.#list = undefined;
  }

  /** No object goes back in time, and none comes back that we removed. */
  #checkOrder(): void {
    for (const { metadata } of this.store.list()) {
      const version = Number(metadata.resourceVersion);
      expect(version).toBeGreaterThanOrEqual(this.#newestOfUid.get(metadata.uid) ?? 0);
      this.#newestOfUid.set(metadata.uid, version);
      if (this.#bookmarks < 2) expect(this.#removed).not.toContain(metadata.uid);
    }
  }

  /** Handlers were called after the last change by others, even if we wrote or removed after that. */
  #checkTold(key: string): void {
    const told = this.#told.get(key);
    const final = this.#objects.get(key);
    if (final === undefined) expect(told).toBeUndefined();
    const change = this.#byOthers.get(key);
    if (final === undefined || change?.uid !== final.metadata.uid) return;
    expect(told?.metadata.uid).toBe(change.uid);
    expect(Number(told?.metadata.resourceVersion)).toBeGreaterThanOrEqual(change.version);
  }
}

describe("WatchedStore, with a server, its watch and our own writes", () => {
  test("it is finally equal to the server's state, never reverts to an older one, and reports all changes by others", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { maxLength: 60 }), async (script) => {
        const simulation = new Simulation();
        for (const move of script) await simulation.play(move);
        await simulation.finish();
      }),
      { numRuns: limitRuns(1_500), examples: found },
    );
  });
});
