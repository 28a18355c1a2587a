import { describe, expect, test } from "vitest";
import { eventually, kubectl, readObject } from "./fixture.ts";
import {
  aPair,
  expectApplies,
  firstWriteAfter,
  names,
  type Pair,
  short,
  untilText,
  writesOf,
} from "./leader-pair.ts";
import { lineOf } from "./operator-user.ts";

describe("of two operators", () => {
  test("one writes, and after it stops the other one writes within 5 s", async () => {
    const pair = await aPair();
    const { harness, leader, standby } = pair;
    await harness.apply(names, { text: "two" });
    await untilText(pair, "two");
    expect((await writesOf(standby)).map(lineOf)).toEqual([]);
    expect(standby.git.commands()).toEqual([]);

    const stopped = new Date();
    await Promise.all([leader.operator.stop(), harness.apply(names, { text: "three" })]);
    expect(await firstWriteAfter(standby, stopped)).toBeLessThan(5);
    await untilText(pair, "three");
    await expectApplies(pair, 3);
  });

  test("one writes after their Lease was deleted, and repeats no write", async () => {
    const pair = await aPair(short);
    const { harness } = pair;
    const lease = () => readObject("lease", "fairlead", harness.namespace);
    const old = await lease();
    await kubectl(["delete", "lease", "fairlead", "-n", harness.namespace]);
    await eventually(async () => ((await lease())?.metadata.uid ?? old?.metadata.uid) !== old?.metadata.uid, {
      what: "the Lease is recreated",
    });
    await eventually(
      async () => {
        const spec = (await lease())?.["spec"] ?? {};
        const { acquireTime = "", renewTime = "" } = spec as Record<string, string>;
        return Date.parse(renewTime) - Date.parse(acquireTime) > 3_000;
      },
      { what: "its holder has renewed it for longer than the renew deadline of a former leader" },
    );
    await harness.apply(names, { text: "two" });
    await untilText(pair, "two");
    await expectApplies(pair, 2);
    expect(harness.repository.files(`${harness.namespace}/`)).toHaveLength(3 * names.length);
  });

  test("one that was paused beyond its lease writes nothing more, and exits", async () => {
    const pair = await aPair(short);
    const { harness, leader, standby } = pair;
    process.kill(leader.operator.pid, "SIGSTOP");
    const paused = new Date();
    await harness.apply(names, { text: "two" });
    await firstWriteAfter(standby, paused);
    await untilText(pair, "two");
    // Work that could be repeated.
    await harness.apply(names.slice(0, 5), { text: "three" });
    const woken = new Date();
    process.kill(leader.operator.pid, "SIGCONT");
    expect(await leader.operator.untilEnded()).toBe(1);
    await harness.untilSettled(names.length);
    expect((await writesOf(leader, woken)).map(lineOf)).toEqual([]);
    expect(leader.git.commands().filter((command) => command === "push")).toHaveLength(pushesUpTo(pair));
  });
});

/** Commits of the first one; those of the second one have another term. */
function pushesUpTo({ harness }: Pair): number {
  return harness.repository.log().filter(({ message }) => /Fairlead-Lease: \S+\/0$/m.test(message)).length;
}
