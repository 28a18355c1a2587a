import { describe, expect, test } from "vitest";
import { stageDigestOf } from "../../../crds/stage-digest.ts";
import { aShop, everywhere, gatesOf, hour, minute, second, waitingOf } from "./stages.ts";

const hotfix = { stage: "prod", by: "ann", reason: "outage", bypass: ["Order", "Freeze"] };

describe("a request for a candidate that was planned before an upgrade of the operator", () => {
  /** A world with a candidate that no stage runs, planned by the earlier version. */
  function aWaitingFix() {
    const world = aShop();
    const before = world.push(everywhere("1"));
    world.run(hour);
    world.freeze("holidays");
    const fix = world.push(everywhere("fix"));
    world.run(minute);
    world.push(everywhere("3"));
    world.run(minute);
    world.upgrade("2");
    world.run(minute);
    return { world, fix, before };
  }

  test("is started again as it renders now", () => {
    const { world, fix } = aWaitingFix();
    world.request("fix", { ...hotfix, revision: fix });
    world.run(minute);
    const [outdated, after] = world.promotions("prod").slice(-2);
    expect(outdated).toMatchObject({ spec: { revision: fix }, status: { phase: "Superseded" } });
    expect(after).toMatchObject({ spec: { revision: fix }, status: { phase: "Passed" } });
    expect(after?.spec.digest).not.toBe(outdated?.spec.digest);
    expect(world.objects.find("Promotion", "fix")?.["status"]).toMatchObject({
      phase: "Passed",
      startedAs: after?.metadata.name,
    });
  });

  test("is not started again when the request names the digest of before, and says so", () => {
    const { world, fix, before } = aWaitingFix();
    const release = world.pipeline.status?.candidates
      ?.find(({ revision }) => revision === fix)
      ?.releases.find(({ release: key }) => key === "shop/prod");
    const digest = stageDigestOf([{ namespace: "shop", name: "prod", digest: release?.digest ?? "" }]);
    world.request("fix", { ...hotfix, hold: true, revision: fix, digest });
    world.run(minute);
    expect(waitingOf(world, "prod")).toMatch(
      new RegExp(`${fix} --hold --bypass Order Freeze --reason TEXT$`),
    );
    expect(world.release("prod").status?.deployed?.revision).toBe(before);
  });

  test("is not started again while a newer request waits, but after that one is deleted", () => {
    const { world, fix, before } = aWaitingFix();
    world.pinByHand("prod", before);
    world.request("fix", { ...hotfix, revision: fix });
    world.run(10 * second);
    world.request("newer", { ...hotfix, revision: before, bypass: ["Order"] });
    world.run(5 * minute);
    expect(gatesOf(world, "prod")).toEqual(["Freeze"]);
    const started = world.promotions("prod");
    expect(started.at(-1)?.spec).toMatchObject({ revision: fix, request: { name: "fix" } });
    world.pinByHand("prod", undefined);
    world.run(5 * minute);
    expect(world.promotions("prod")).toHaveLength(started.length);
    world.remove("Promotion", "newer");
    world.run(minute);
    expect(world.promotions("prod").at(-1)).toMatchObject({
      spec: { revision: fix, number: started.length + 1, request: { name: "fix" } },
      status: { phase: "Passed" },
    });
  });

  test("asks for the approval of what it renders now", () => {
    const { world, fix } = aWaitingFix();
    world.editStages([
      ...world.pipeline.spec.stages.slice(0, 2),
      { ...world.pipeline.spec.stages[2], enter: { approvals: { count: 1 } } },
    ]);
    world.request("fix", { ...hotfix, revision: fix });
    const approve = (by: string) => {
      world.run(minute);
      world.approve(by, { stage: "prod", digest: world.stage("prod").next?.digest });
    };
    approve("bob");
    world.run(minute);
    expect(gatesOf(world, "prod")).toEqual(["Approvals"]);
    approve("cleo");
    world.run(minute);
    expect(world.promotions("prod").at(-1)).toMatchObject({
      spec: { revision: fix, approvals: [{ by: "cleo" }] },
      status: { phase: "Passed" },
    });
  });
});

describe("requests for one stage within one second", () => {
  /** A world that has deployed two commits, and a third one that prod holds back. */
  function aShopWithHistory() {
    const world = aShop();
    const [first, second_] = ["1", "2"].map((text) => {
      const commit = world.push(everywhere(text));
      world.run(hour);
      return commit;
    }) as [string, string];
    return { world, first, second: second_ };
  }

  const asksFor = (revision: string) => ({ stage: "prod", by: "ann", hold: true, revision });
  const requestsOf = (world: ReturnType<typeof aShop>) =>
    world.promotions("prod").map(({ spec }) => spec.request?.name);

  test("start in the order in which they arrived, whatever their names", () => {
    const { world, first, second: last } = aShopWithHistory();
    world.request("z-promote", asksFor(last));
    world.run(0);
    world.request("a-rollback", asksFor(first));
    world.run(minute);
    expect(requestsOf(world).slice(2)).toEqual(["z-promote", "a-rollback"]);
    expect(world.release("prod").status?.deployed?.revision).toBe(first);
    expect(world.stage("prod").phase).toBe("Held");
  });

  test("are not started again when the operator restarts, or a later one is deleted", () => {
    const { world, first, second: last } = aShopWithHistory();
    world.request("z-promote", asksFor(last));
    world.run(0);
    world.request("a-rollback", asksFor(first));
    world.run(minute);
    world.restart();
    world.run(minute);
    world.remove("Promotion", "a-rollback");
    world.run(minute);
    expect(requestsOf(world).filter((name) => name === "z-promote")).toHaveLength(1);
  });

  test("start by their names if none of them has started, and the others never", () => {
    const { world, first, second: last } = aShopWithHistory();
    world.request("b", asksFor(first));
    world.request("a", asksFor(last));
    world.run(minute);
    expect(requestsOf(world).slice(2)).toEqual(["b"]);
    world.remove("Promotion", "b");
    world.restart();
    world.run(hour);
    expect(requestsOf(world)).not.toContain("a");
  });
});
