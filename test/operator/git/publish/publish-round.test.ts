import { describe, expect, test } from "vitest";
import { emptyBranch } from "../../../../operator/git/publish/branch-clone.ts";
import { PublishLedger } from "../../../../operator/git/publish/publish-ledger.ts";
import { PublishRound } from "../../../../operator/git/publish/publish-round.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { anOffer, folderOf } from "./publisher-harness.ts";

/** A round with a branch that accepts every commit at once. */
function aRound() {
  const clock = new FakeClock();
  const ledger = new PublishLedger();
  const commits: string[][] = [];
  const steps: string[] = [];
  let isOvertaken = false;
  const view = { ...emptyBranch(), head: "c0" };
  const repository = {
    view,
    format: "sha1" as const,
    poll: async () => {
      steps.push("poll");
      return view;
    },
    isOurs: true,
    assertOurs() {},
    async land({
      write,
      remove,
    }: {
      write: readonly { folder: string }[];
      remove: ReadonlyMap<string, string>;
    }) {
      steps.push("land");
      if (isOvertaken) return undefined;
      commits.push([...write.map(({ folder }) => folder), ...remove.keys()]);
      return `c${commits.length}`;
    },
    tidy: async () => void steps.push("tidy"),
    rebuild: async () => {},
  };
  const sweeper = { isDue: false, plan: () => [], done() {}, branchChanged() {} };
  const round = new PublishRound({
    ...{ repository, ledger, sweeper, clock },
    log: new RecordingLogger(),
    onPoll() {},
    onLanded() {},
  });
  const offer = (name: string, generation: number) =>
    ledger.publish(anOffer({ name, generation }), clock.now());
  const overtake = (yes: boolean): void => {
    isOvertaken = yes;
  };
  return { clock, ledger, round, commits, steps, offer, overtake };
}

describe("a resource with many consecutive commits", () => {
  async function aBusyOne() {
    const it = aRound();
    for (let generation = 1; generation <= 10; generation++) {
      it.offer("busy", generation);
      await it.round.run();
    }
    it.offer("busy", 11);
    return it;
  }

  test("waits two seconds for its next one", async () => {
    const { clock, round, commits } = await aBusyOne();
    expect(commits).toHaveLength(10);
    expect(round.windowMs).toBe(2_000);
    await round.run();
    expect(commits).toHaveLength(10);

    await clock.advance(2_000);
    await round.run();
    expect(commits).toHaveLength(11);
  });

  test("does not delay other folders, and is committed with them", async () => {
    const { clock, round, commits, offer } = await aBusyOne();
    await clock.advance(2_000);
    await round.run();
    // Shortly after a commit of one owner, another owner offers.
    await clock.advance(10);
    offer("busy", 12);
    offer("quiet", 1);
    expect(round.windowMs).toBe(30);
    await round.run();
    expect(commits.at(-1)).toEqual([folderOf("busy"), folderOf("quiet")]);
  });

  test("does not wait while commits fail, and failed ones do not count", async () => {
    const { ledger, round, commits } = await aBusyOne();
    ledger.setFailure({ reason: "PushRefused", message: "no" });
    expect(round.windowMs).toBeLessThanOrEqual(200);
    await round.run();
    expect(commits).toHaveLength(11);
  });

  test("does not wait when its folder is to be removed, nor when the operator stops", async () => {
    const { ledger, round, commits } = await aBusyOne();
    ledger.retire(folderOf("other"));
    ledger.retire(folderOf("busy"));
    expect(round.windowMs).toBeLessThanOrEqual(200);
    await round.run();
    expect(commits.at(-1)).toEqual([folderOf("busy")]);

    const stopping = await aBusyOne();
    stopping.round.hurry();
    expect(stopping.round.windowMs).toBeLessThanOrEqual(200);
    await stopping.round.run();
    expect(stopping.commits).toHaveLength(11);
  });
});

test("nothing happens between a read of the branch and the push: the clone is tidied afterwards, also when another push was first", async () => {
  const { round, steps, offer, overtake } = aRound();
  offer("a", 1);
  overtake(true);
  expect(await round.run()).toBe("overtaken");
  expect(steps).toEqual(["poll", "land", "tidy"]);

  steps.length = 0;
  overtake(false);
  expect(await round.run()).toBe("done");
  expect(steps).toEqual(["poll", "land", "tidy"]);

  // A round without work does not change it.
  steps.length = 0;
  await round.run();
  expect(steps).toEqual([]);
});
