import fc from "fast-check";
import { expect, test } from "vitest";
import { WorkQueue } from "../../../operator/runtime/queue.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

const aQueue = () => new WorkQueue({ clock: new FakeClock() });

async function take(queue: WorkQueue, count: number): Promise<(string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  for (let taken = 0; taken < count; taken++) keys.push((await queue.take())?.key);
  return keys;
}

test("a key of a namespace without others is next, for any number of keys of another namespace", async () => {
  const queue = aQueue();
  for (let index = 0; index < 1_000; index++) queue.add(`busy/${index}`);
  expect(await take(queue, 3)).toEqual(["busy/0", "busy/1", "busy/2"]);
  queue.add("quiet/a");
  queue.add("quiet/b");
  expect(await take(queue, 5)).toEqual(["quiet/a", "busy/3", "quiet/b", "busy/4", "busy/5"]);
});

test("keys of an initial list do not delay edits of the same namespace", async () => {
  const queue = aQueue();
  for (let index = 0; index < 100; index++) queue.add(`busy/${index}`, { priority: -100 });
  for (let index = 0; index < 3; index++) queue.add(`quiet/${index}`);
  queue.add("busy/7");
  expect(await take(queue, 4)).toEqual(["quiet/0", "busy/7", "quiet/1", "quiet/2"]);
});

test("a key that waited in a worker does not change the order", async () => {
  const queue = aQueue();
  queue.add("busy/held");
  await queue.take();
  queue.add("busy/held");
  for (let index = 0; index < 300; index++) queue.add(`${index % 2 === 0 ? "busy" : "other"}/${index}`);
  await take(queue, 200);
  queue.done("busy/held");
  expect(await take(queue, 1)).toEqual(["busy/held"]);
  for (let index = 0; index < 100; index++) queue.add(`fresh/${index}`);
  const keys = await take(queue, 90);
  expect(keys.filter((key) => key?.startsWith("fresh/")).length).toBeLessThanOrEqual(31);
});

test("a namespace without keys for a while does not accumulate turns", async () => {
  const queue = aQueue();
  for (let index = 0; index < 100; index++) queue.add(`busy/${index}`);
  await take(queue, 90);
  for (let index = 0; index < 10; index++) queue.add(`quiet/${index}`);
  const keys = await take(queue, 10);
  expect(keys.filter((key) => key?.startsWith("busy/"))).toHaveLength(5);
});

test("between two waiting keys of a namespace are at most two of each other, and its keys keep their order", async () => {
  const namespaces = ["a", "b", "c"];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...namespaces), { maxLength: 60 }), async (arrivals) => {
      const queue = aQueue();
      for (const [index, namespace] of arrivals.entries()) queue.add(`${namespace}/${index}`);
      const keys = (await take(queue, arrivals.length)).map((key) => String(key));
      for (const namespace of namespaces) {
        const own = keys.filter((key) => key.startsWith(namespace)).map((key) => Number(key.slice(2)));
        expect(own).toEqual(own.toSorted((a, b) => a - b));
        const places = keys.flatMap((key, place) => (key.startsWith(namespace) ? [place] : []));
        for (const [at, place] of places.slice(1).entries())
          expect(place - (places[at] ?? 0)).toBeLessThanOrEqual(2 * (namespaces.length - 1) + 1);
      }
    }),
  );
});

test("thousands of namespaces are processed one after the other, each once", async () => {
  const queue = aQueue();
  const added = Array.from({ length: 5_000 }, (_, index) => `namespace-${index}/web`);
  for (const key of added) queue.add(key);
  expect(await take(queue, added.length)).toEqual(added);
});
