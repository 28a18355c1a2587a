import { expect, test } from "vitest";
import { GitError } from "../../../../operator/git/git-errors.ts";
import { FetchedClone } from "../../../../operator/git/source/fetched-clone.ts";
import type { SourceClone } from "../../../../operator/git/source/source-clone.ts";
import type { RefWish } from "../../../../operator/git/source/source-wish.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";

const wishes = new Map<string, RefWish>([["main", { kind: "ref", ref: "refs/heads/main" }]]);
const there = new Map([["main", { commit: "c" }]]);

/** A clone and its remote, which behave as a test defines. */
function aFetchedClone() {
  const it = {
    rebuilds: 0,
    size: 0,
    packs: 0,
    repacks: 0,
    clock: new FakeClock(),
    suspicions: 0,
    onRebuild: () => {},
    onPoll: () => {},
    fetched: undefined as unknown as FetchedClone,
  };
  const clone = {
    format: "sha1",
    rebuild: async () => {
      it.rebuilds++;
      it.onRebuild();
    },
    repack: async () => void it.repacks++,
    note: async () => it.packs,
    size: async () => it.size,
  } as unknown as SourceClone;
  it.fetched = new FetchedClone({
    open: async () => clone,
    heads: {
      poll: async () => {
        it.onPoll();
        return there;
      },
      recall: async () => new Map(),
    },
    limits: { cloneBytes: 100, packs: 10 },
    clock: it.clock,
    log: new RecordingLogger(),
    stats: { rebuilds: 0 },
    onSuspicion: () => void it.suspicions++,
  });
  return it;
}

const broken = (): never => {
  throw new GitError("CacheBroken", "broken");
};

test("a clone whose recreation was interrupted is recreated with the next poll", async () => {
  const it = aFetchedClone();
  it.onPoll = broken;
  it.onRebuild = () => {
    throw new GitError("Killed", "killed");
  };
  expect(await it.fetched.poll(wishes)).toMatchObject({ outage: { reason: "SourceUnreachable" } });
  it.onPoll = () => {};
  it.onRebuild = () => {};
  expect(await it.fetched.poll(wishes)).toEqual({ targets: there, outage: undefined });
  expect(it.rebuilds).toBe(2);
});

test("while a new clone fails as well, it is not recreated repeatedly", async () => {
  const it = aFetchedClone();
  it.onPoll = broken;
  for (let round = 0; round < 5; round++) await it.fetched.poll(wishes);
  expect(it.rebuilds).toBe(1);
});

test("a clone that is too large is recreated while the remote responds", async () => {
  const it = aFetchedClone();
  it.size = 101;
  it.onRebuild = () => {
    it.size = 10;
  };
  expect(await it.fetched.poll(wishes)).toEqual({ targets: there, outage: undefined });
  expect(it.rebuilds).toBe(1);
});

test("a clone is repacked when it has more packs than the limit", async () => {
  const it = aFetchedClone();
  it.packs = 10;
  await it.fetched.poll(wishes);
  expect(it.repacks).toBe(0);
  it.packs = 11;
  await it.fetched.poll(wishes);
  expect(it.repacks).toBe(1);
});

test("unreadable content causes a recreation at most once a minute", async () => {
  const it = aFetchedClone();
  const read = () => it.fetched.use(async () => broken()).catch((error: unknown) => error);
  expect(await read()).toMatchObject({ reason: "SourceUnreachable" });
  await it.fetched.poll(wishes);
  await read();
  await it.fetched.poll(wishes);
  expect([it.suspicions, it.rebuilds]).toEqual([1, 1]);
  await it.clock.advance(61_000);
  await read();
  await it.fetched.poll(wishes);
  expect([it.suspicions, it.rebuilds]).toEqual([2, 2]);
});
