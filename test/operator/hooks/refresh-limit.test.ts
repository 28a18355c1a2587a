import fc from "fast-check";
import { expect, test } from "vitest";
import { limitRefresh } from "../../../operator/hooks/refresh-limit.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { limitRuns } from "../../long.ts";

function aLimit(options: { burst?: number; everyMs?: number } = {}) {
  const clock = new FakeClock();
  const looks: { url: string; atMs: number }[] = [];
  const pushed: (string | undefined)[] = [];
  const refresh = (url: string, ref: string | undefined) => {
    looks.push({ url, atMs: clock.now() });
    pushed.push(ref);
  };
  const limited = limitRefresh({ clock, refresh, ...options });
  return { clock, looks, pushed, tell: (url: string, ref?: string) => limited(url, ref) };
}

test("a burst passes at once, and later requests once per period, without loss", async () => {
  const { clock, looks, tell } = aLimit({ burst: 3, everyMs: 100 });
  for (let push = 0; push < 50; push++) tell("a");
  expect(looks.map(({ atMs }) => atMs)).toEqual([0, 0, 0]);
  await clock.advance(1_000);
  expect(looks.map(({ atMs }) => atMs)).toEqual([0, 0, 0, 100]);
});

test("one repository does not delay another", async () => {
  const { looks, tell } = aLimit({ burst: 1 });
  tell("a");
  tell("a");
  tell("b");
  expect(looks.map(({ url }) => url)).toEqual(["a", "b"]);
});

test("a delayed poll is of the pushed ref, or of everything after pushes of several", async () => {
  const { clock, pushed, tell } = aLimit({ burst: 1, everyMs: 100 });
  tell("a", "main");
  tell("a", "main");
  tell("a", "main");
  await clock.advance(1_000);
  tell("a", "main");
  tell("a", "next");
  tell("a", "main");
  await clock.advance(1_000);
  expect(pushed).toEqual(["main", "main", "main", undefined]);
});

test("a poll follows every push, with at most a burst and one per period", async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(gaps, async (delaysMs) => {
      const [burst, everyMs] = [4, 100];
      const { clock, looks, tell } = aLimit({ burst, everyMs });
      let lastMs = 0;
      for (const delayMs of delaysMs) {
        await clock.advance(delayMs);
        tell("a");
        lastMs = clock.now();
      }
      await clock.advance(10_000);
      if (delaysMs.length > 0) expect(looks.at(-1)?.atMs).toBeGreaterThanOrEqual(lastMs);
      for (const [first, { atMs }] of looks.entries()) {
        const within = looks.filter((look, index) => index >= first && look.atMs <= atMs + 10 * everyMs);
        expect(within.length).toBeLessThanOrEqual(burst + 10 + 1);
      }
    }),
    { numRuns: limitRuns(30) },
  );
});
