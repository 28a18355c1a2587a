import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { parseRemoteUrl } from "../../../../operator/git/remote-url.ts";
import { RefWatch } from "../../../../operator/git/source/ref-watch.ts";
import type { RefWish } from "../../../../operator/git/source/source-wish.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";

const main = { kind: "ref", ref: "refs/heads/main" } as const;

/** A watch of the files of a repository, and the pushes that it has reported. */
function aWatch(wishes: readonly RefWish[]) {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-refs-"));
  const clock = new FakeClock();
  const reported: (string | undefined)[] = [];
  const watch = new RefWatch({
    remote: parseRemoteUrl(`file://${folder}`),
    clock,
    wishes: () => new Map(wishes.map((wish, index) => [String(index), wish])),
    onChange: (pushed) => void reported.push(pushed),
  });
  onTestFinished(() => {
    watch.close();
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, "refs/heads"), { recursive: true });
  return {
    watch,
    reported,
    push: (branch: string, commit: string) => writeFileSync(join(folder, "refs/heads", branch), commit),
    remove: () => rmSync(folder, { recursive: true }),
    /** Advances time until the watch has read the files this many times. */
    async untilRead(times: number): Promise<void> {
      for (let read = 0; read < times; read++) {
        await clock.advance(250);
        // The watch sleeps again only after it has read the files, which takes real time.
        while (clock.pendingDelaysMs.length === 0) await nextTurn();
      }
    },
  };
}

test.for<readonly [string, readonly RefWish[], string | undefined]>([
  ["the branch, if only that is wanted", [main], main.ref],
  ["the branch, if commits are wanted too", [main, { kind: "commit", id: "a".repeat(40) }], main.ref],
  ["no ref, if several are wanted", [main, { kind: "ref", ref: "refs/heads/next" }], undefined],
  ["no ref, if a range of tags is wanted too", [main, { kind: "semver", range: "1.x" }], undefined],
])("a push is reported once, with %s", async ([, wishes, pushed]) => {
  const { watch, reported, push, untilRead } = aWatch(wishes);
  push("main", "first");
  await watch.mark();
  await untilRead(2);
  expect(reported).toEqual([]);
  push("main", "a second commit");
  await untilRead(3);
  expect(reported).toEqual([pushed]);
});

test("a push that a poll has seen is not reported", async () => {
  const { watch, reported, push, untilRead } = aWatch([main]);
  await watch.mark();
  push("main", "first");
  await watch.mark();
  await untilRead(3);
  expect(reported).toEqual([]);
});

test("a repository that is gone is reported without a ref, because there is nothing to fetch", async () => {
  const { watch, reported, push, remove, untilRead } = aWatch([main]);
  push("main", "first");
  await watch.mark();
  remove();
  await untilRead(2);
  expect(reported).toEqual([undefined]);
});
