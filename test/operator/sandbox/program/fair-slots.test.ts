import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { FairSlots, type Slot } from "../../../../operator/sandbox/program/fair-slots.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";

const options = { young: 2, all: 4, perTenant: 3 };

/** Takes a place, and notes in `order` when it comes. */
function take(slots: FairSlots, tenant: string, order: string[]): Promise<Slot> {
  const taken = slots.take(tenant);
  void taken.then(() => order.push(tenant));
  return taken;
}

describe("FairSlots", () => {
  test("lets no more run than are young, until one is done", async () => {
    const [slots, order]: [FairSlots, string[]] = [new FairSlots(options), []];
    const first = await take(slots, "a", order);
    void take(slots, "b", order);
    void take(slots, "c", order);
    await setImmediate();
    expect(order).toEqual(["a", "b"]);
    first.release();
    first.release();
    await setImmediate();
    expect(order).toEqual(["a", "b", "c"]);
  });

  test("gives tenants their turns, however much one of them wants", async () => {
    const [slots, order]: [FairSlots, string[]] = [new FairSlots({ ...options, young: 1 }), []];
    const wanted = ["a", "a", "a", "a", "b", "c"].map((tenant) => take(slots, tenant, order));
    for (const slot of wanted) void slot.then((taken) => taken.release());
    await Promise.all(wanted);
    expect(order).toEqual(["a", "a", "b", "c", "a", "a"]);
  });

  test("does not let those wait that come after one which takes long", async () => {
    const [slots, order]: [FairSlots, string[]] = [new FairSlots(options), []];
    for (const slot of [await take(slots, "a", order), await take(slots, "a", order)]) slot.grow();
    await Promise.all([take(slots, "b", order), take(slots, "c", order)]);
    expect(order).toEqual(["a", "a", "b", "c"]);
  });

  test("lets one tenant take no more than its share, and all no more than there is", async () => {
    const [slots, order]: [FairSlots, string[]] = [new FairSlots(options), []];
    for (let count = 0; count < 3; count++) (await take(slots, "a", order)).grow();
    void take(slots, "a", order);
    const other = await take(slots, "b", order);
    other.grow();
    void take(slots, "c", order);
    await setImmediate();
    expect(order).toEqual(["a", "a", "a", "b"]);
    other.release();
    await setImmediate();
    expect(order).toEqual(["a", "a", "a", "b", "c"]);
  });

  test("begins at once where there is a place, and of all tenants' runs no more than there is by default", () => {
    const [slots, begun]: [FairSlots, string[]] = [new FairSlots({ all: 2 }), []];
    const places: Slot[] = [];
    const ask = (name: string): void =>
      void slots.ask("a", (slot) => {
        begun.push(name);
        places.push(slot);
      });
    for (const name of ["1", "2", "3"]) ask(name);
    expect(begun).toEqual(["1", "2"]);
    places[1]?.release();
    expect(begun).toEqual(["1", "2", "3"]);
  });

  test("does not begin what was taken out", () => {
    const [slots, begun]: [FairSlots, string[]] = [new FairSlots({ all: 1 }), []];
    let place: Slot | undefined;
    slots.ask("a", (slot) => (place = slot));
    const takeOut = slots.ask("b", () => begun.push("b1"));
    slots.ask("b", (slot) => {
      begun.push("b2");
      slot.release();
    });
    slots.ask("c", (slot) => {
      begun.push("c");
      slot.release();
    });
    takeOut();
    takeOut();
    place?.release();
    expect(begun).toEqual(["b2", "c"]);
  });

  test("starts a large run only when it fits, and no smaller one before it", async () => {
    const [slots, order]: [FairSlots, string[]] = [new FairSlots({ all: 4 }), []];
    const [first, second] = [await slots.take("a", { weight: 2 }), await slots.take("a", { weight: 1 })];
    void slots.take("b", { weight: 3 }).then(() => order.push("large"));
    void take(slots, "c", order);
    first.release();
    await setImmediate();
    expect(order).toEqual(["large"]);
    second.release();
    await setImmediate();
    expect(order).toEqual(["large", "c"]);
  });

  test("starts a run that is larger than everything there is when nothing else runs", async () => {
    const slots = new FairSlots({ all: 4 });
    const only = await slots.take("a", { weight: 1_000 });
    const order: string[] = [];
    void take(slots, "b", order);
    await setImmediate();
    expect(order).toEqual([]);
    only.release();
    await setImmediate();
    expect(order).toEqual(["b"]);
  });

  test("lets a single run take more than the places of a tenant, and nothing else of it beside that", async () => {
    const [slots, order]: [FairSlots, string[]] = [new FairSlots({ all: 4, perTenant: 2 }), []];
    const large = await slots.take("a", { weight: 3 });
    void take(slots, "a", order);
    void take(slots, "b", order);
    await setImmediate();
    expect(order).toEqual(["b"]);
    large.release();
    await setImmediate();
    expect(order).toEqual(["b", "a"]);
  });

  test("starts next the run of the tenant that used the least time", async () => {
    const clock = new FakeClock();
    const [slots, order]: [FairSlots, string[]] = [new FairSlots({ all: 1, clock }), []];
    const long = await slots.take("a");
    await clock.advance(60_000);
    long.release();
    const short = await slots.take("b");
    await clock.advance(1_000);
    const wanted = ["a", "b", "c"].map((tenant) => take(slots, tenant, order));
    for (const slot of wanted) void slot.then((taken) => taken.release());
    short.release();
    await Promise.all(wanted);
    expect(order).toEqual(["c", "b", "a"]);
  });

  test("asks for an offered place when another tenant waits, once, and not for its own tenant", async () => {
    const [slots, order, asked]: [FairSlots, string[], string[]] = [new FairSlots({ all: 2 }), [], []];
    const [first, second] = [await slots.take("a"), await slots.take("a")];
    first.offer(() => asked.push("first"));
    second.offer(() => asked.push("second"));
    void take(slots, "a", order);
    expect(asked).toEqual([]);
    void take(slots, "b", order);
    void take(slots, "b", order);
    expect(asked).toEqual(["first"]);
    first.release();
    await setImmediate();
    expect(order).toEqual(["a"]);
    expect(asked).toEqual(["first", "second"]);
    second.release();
    await setImmediate();
    expect(order).toEqual(["a", "b"]);
  });

  test("asks for a place that is offered while another tenant waits for one", async () => {
    const slots = new FairSlots({ all: 1 });
    const place = await slots.take("a");
    void slots.take("b");
    const asked: string[] = [];
    place.offer(() => asked.push("a"));
    expect(asked).toEqual(["a"]);
  });

  test("does not ask for a place for a tenant that waits for its own runs", async () => {
    const slots = new FairSlots({ all: 4, perTenant: 1 });
    const place = await slots.take("a");
    await slots.take("b");
    void slots.take("b");
    const asked: string[] = [];
    place.offer(() => asked.push("a"));
    expect(asked).toEqual([]);
  });

  test("keeps the runs of two tenants apart in time where it has to", async () => {
    const [slots, order]: [FairSlots, string[]] = [new FairSlots({ all: 4, mixed: false }), []];
    const own = [await take(slots, "a", order), await take(slots, "a", order)];
    const other = take(slots, "b", order);
    const later = take(slots, "a", order);
    await setImmediate();
    expect(order).toEqual(["a", "a"]);
    for (const slot of own) slot.release();
    await setImmediate();
    expect(order).toEqual(["a", "a", "b"]);
    (await other).release();
    await later;
    expect(order).toEqual(["a", "a", "b", "a"]);
  });

  test("forgets a tenant whose last run was taken out", () => {
    const [slots, begun]: [FairSlots, string[]] = [new FairSlots({ all: 1 }), []];
    let place: Slot | undefined;
    slots.ask("a", (slot) => (place = slot));
    const takeOut = slots.ask("b", () => begun.push("b1"));
    takeOut();
    slots.ask("b", () => begun.push("b2"));
    takeOut();
    place?.release();
    expect(begun).toEqual(["b2"]);
  });
});
