import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { FairSemaphore, type Permit } from "../../../operator/runtime/fair-semaphore.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

const options = { young: 2, permits: 4, perTenant: 3 };

/** Acquires a permit, and notes in `order` when it comes. */
function acquire(semaphore: FairSemaphore, tenant: string, order: string[]): Promise<Permit> {
  const taken = semaphore.acquire(tenant);
  void taken.then(() => order.push(tenant));
  return taken;
}

describe("FairSemaphore", () => {
  test("runs no more than the limit, until one is done", async () => {
    const [semaphore, order]: [FairSemaphore, string[]] = [new FairSemaphore(options), []];
    const first = await acquire(semaphore, "a", order);
    void acquire(semaphore, "b", order);
    void acquire(semaphore, "c", order);
    await setImmediate();
    expect(order).toEqual(["a", "b"]);
    first.release();
    first.release();
    await setImmediate();
    expect(order).toEqual(["a", "b", "c"]);
  });

  test("alternates between tenants, for any demand of one of them", async () => {
    const [semaphore, order]: [FairSemaphore, string[]] = [new FairSemaphore({ ...options, young: 1 }), []];
    const wanted = ["a", "a", "a", "a", "b", "c"].map((tenant) => acquire(semaphore, tenant, order));
    for (const permit of wanted) void permit.then((taken) => taken.release());
    await Promise.all(wanted);
    expect(order).toEqual(["a", "a", "b", "c", "a", "a"]);
  });

  test("does not delay runs that follow a slow one", async () => {
    const [semaphore, order]: [FairSemaphore, string[]] = [new FairSemaphore(options), []];
    for (const permit of [await acquire(semaphore, "a", order), await acquire(semaphore, "a", order)])
      permit.grow();
    await Promise.all([acquire(semaphore, "b", order), acquire(semaphore, "c", order)]);
    expect(order).toEqual(["a", "a", "b", "c"]);
  });

  test("limits one tenant to its share, and all tenants to the total", async () => {
    const [semaphore, order]: [FairSemaphore, string[]] = [new FairSemaphore(options), []];
    for (let count = 0; count < 3; count++) (await acquire(semaphore, "a", order)).grow();
    void acquire(semaphore, "a", order);
    const other = await acquire(semaphore, "b", order);
    other.grow();
    void acquire(semaphore, "c", order);
    await setImmediate();
    expect(order).toEqual(["a", "a", "a", "b"]);
    other.release();
    await setImmediate();
    expect(order).toEqual(["a", "a", "a", "b", "c"]);
  });

  test("starts at once if there is a permit, and limits the runs of all tenants to the total by default", () => {
    const [semaphore, begun]: [FairSemaphore, string[]] = [new FairSemaphore({ permits: 2 }), []];
    const permits: Permit[] = [];
    const ask = (name: string): void =>
      void semaphore.request("a", (permit) => {
        begun.push(name);
        permits.push(permit);
      });
    for (const name of ["1", "2", "3"]) ask(name);
    expect(begun).toEqual(["1", "2"]);
    permits[1]?.release();
    expect(begun).toEqual(["1", "2", "3"]);
  });

  test("does not start a cancelled run", () => {
    const [semaphore, begun]: [FairSemaphore, string[]] = [new FairSemaphore({ permits: 1 }), []];
    let held: Permit | undefined;
    semaphore.request("a", (permit) => (held = permit));
    const takeOut = semaphore.request("b", () => begun.push("b1"));
    semaphore.request("b", (permit) => {
      begun.push("b2");
      permit.release();
    });
    semaphore.request("c", (permit) => {
      begun.push("c");
      permit.release();
    });
    takeOut();
    takeOut();
    held?.release();
    expect(begun).toEqual(["b2", "c"]);
  });

  test("starts a large run only when it fits, and no smaller one before it", async () => {
    const [semaphore, order]: [FairSemaphore, string[]] = [new FairSemaphore({ permits: 4 }), []];
    const [first, second] = [
      await semaphore.acquire("a", { weight: 2 }),
      await semaphore.acquire("a", { weight: 1 }),
    ];
    void semaphore.acquire("b", { weight: 3 }).then(() => order.push("large"));
    void acquire(semaphore, "c", order);
    first.release();
    await setImmediate();
    expect(order).toEqual(["large"]);
    second.release();
    await setImmediate();
    expect(order).toEqual(["large", "c"]);
  });

  test("starts the next run at once when the large one before it is cancelled", async () => {
    const [semaphore, order]: [FairSemaphore, string[]] = [new FairSemaphore({ permits: 4 }), []];
    await semaphore.acquire("a", { weight: 2 });
    const cancel = semaphore.request("b", () => order.push("large"), { weight: 3 });
    void acquire(semaphore, "c", order);
    cancel();
    await setImmediate();
    expect(order).toEqual(["c"]);
  });

  test("starts a run that is larger than the total when nothing else runs", async () => {
    const semaphore = new FairSemaphore({ permits: 4 });
    const only = await semaphore.acquire("a", { weight: 1_000 });
    const order: string[] = [];
    void acquire(semaphore, "b", order);
    await setImmediate();
    expect(order).toEqual([]);
    only.release();
    await setImmediate();
    expect(order).toEqual(["b"]);
  });

  test("allows a single run to use more than the permits of its tenant, but no other run of it at the same time", async () => {
    const [semaphore, order]: [FairSemaphore, string[]] = [
      new FairSemaphore({ permits: 4, perTenant: 2 }),
      [],
    ];
    const large = await semaphore.acquire("a", { weight: 3 });
    void acquire(semaphore, "a", order);
    void acquire(semaphore, "b", order);
    await setImmediate();
    expect(order).toEqual(["b"]);
    large.release();
    await setImmediate();
    expect(order).toEqual(["b", "a"]);
  });

  test("starts next the run of the tenant that used the least time", async () => {
    const clock = new FakeClock();
    const [semaphore, order]: [FairSemaphore, string[]] = [new FairSemaphore({ permits: 1, clock }), []];
    const long = await semaphore.acquire("a");
    await clock.advance(60_000);
    long.release();
    const short = await semaphore.acquire("b");
    await clock.advance(1_000);
    const wanted = ["a", "b", "c"].map((tenant) => acquire(semaphore, tenant, order));
    for (const permit of wanted) void permit.then((taken) => taken.release());
    short.release();
    await Promise.all(wanted);
    expect(order).toEqual(["c", "b", "a"]);
  });

  test("requests an offered permit when another tenant waits, once, and not for the same tenant", async () => {
    const [semaphore, order, asked]: [FairSemaphore, string[], string[]] = [
      new FairSemaphore({ permits: 2 }),
      [],
      [],
    ];
    const [first, second] = [await semaphore.acquire("a"), await semaphore.acquire("a")];
    first.offer(() => asked.push("first"));
    second.offer(() => asked.push("second"));
    void acquire(semaphore, "a", order);
    expect(asked).toEqual([]);
    void acquire(semaphore, "b", order);
    void acquire(semaphore, "b", order);
    expect(asked).toEqual(["first"]);
    first.release();
    await setImmediate();
    expect(order).toEqual(["a"]);
    expect(asked).toEqual(["first", "second"]);
    second.release();
    await setImmediate();
    expect(order).toEqual(["a", "b"]);
  });

  test("requests a permit that is offered while another tenant waits for one", async () => {
    const semaphore = new FairSemaphore({ permits: 1 });
    const permit = await semaphore.acquire("a");
    void semaphore.acquire("b");
    const asked: string[] = [];
    permit.offer(() => asked.push("a"));
    expect(asked).toEqual(["a"]);
  });

  test("does not request a permit for a tenant that waits for its own runs", async () => {
    const semaphore = new FairSemaphore({ permits: 4, perTenant: 1 });
    const permit = await semaphore.acquire("a");
    await semaphore.acquire("b");
    void semaphore.acquire("b");
    const asked: string[] = [];
    permit.offer(() => asked.push("a"));
    expect(asked).toEqual([]);
  });

  test("does not run two tenants at the same time if that is required", async () => {
    const [semaphore, order]: [FairSemaphore, string[]] = [
      new FairSemaphore({ permits: 4, mixed: false }),
      [],
    ];
    const own = [await acquire(semaphore, "a", order), await acquire(semaphore, "a", order)];
    const other = acquire(semaphore, "b", order);
    const later = acquire(semaphore, "a", order);
    await setImmediate();
    expect(order).toEqual(["a", "a"]);
    for (const permit of own) permit.release();
    await setImmediate();
    expect(order).toEqual(["a", "a", "b"]);
    (await other).release();
    await later;
    expect(order).toEqual(["a", "a", "b", "a"]);
  });

  test("drops a tenant whose last run was cancelled", () => {
    const [semaphore, begun]: [FairSemaphore, string[]] = [new FairSemaphore({ permits: 1 }), []];
    let held: Permit | undefined;
    semaphore.request("a", (permit) => (held = permit));
    const takeOut = semaphore.request("b", () => begun.push("b1"));
    takeOut();
    semaphore.request("b", () => begun.push("b2"));
    takeOut();
    held?.release();
    expect(begun).toEqual(["b2"]);
  });
});
