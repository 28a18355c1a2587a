import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { FairSlots, type Slot } from "../../../../operator/release/program/fair-slots.ts";

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
