import { describe, expect, test } from "vitest";
import { aShop, everywhere, gatesOf, hour, minute, promoted, second, waitingOf } from "./stages.ts";

const asks = (rule: object = {}) => ({ prod: { enter: { approvals: { count: 1, ...rule } } } });

/** A world whose prod waits for the approval of a commit. */
function waiting(rule: object = {}) {
  const world = aShop(asks(rule));
  const commit = world.push(everywhere("1"));
  world.run(hour);
  expect(gatesOf(world, "prod")).toEqual(["Approvals"]);
  return { world, commit, digest: world.stage("prod").next?.digest ?? "" };
}

describe("approvals of a Pipeline's stage", () => {
  test("check 13: an Approval for digest X does not count for digest Y, also of the same commit", () => {
    const { world, commit, digest } = waiting();
    world.approve("ann", { stage: "prod", revision: commit, digest: "0".repeat(32) });
    world.approve("bob", { stage: "staging", revision: commit, digest });
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([]);
    world.approve("cleo", { stage: "prod", revision: commit, digest });
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([commit]);
  });

  test("check 14: an approved commit that an upgraded operator renders differently is not applied, and needs another approval", () => {
    const { world, digest } = waiting();
    world.approve("ann", { stage: "prod", digest });
    // After the pin, the Release renders the commit differently.
    world.onCreate = ({ stage }) => {
      if (stage === "prod") world.upgrade("2");
    };
    world.run(minute);
    expect(world.promotions("prod")).toHaveLength(1);
    expect(world.release("prod").status?.deployed).toBeUndefined();
    world.run(3 * hour);
    expect(world.promotions("prod")).toHaveLength(1);
    const asked = world.stage("prod").next?.digest ?? "";
    expect(asked).not.toBe(digest);
    expect(waitingOf(world, "prod")).toContain(asked);
    expect(world.release("prod").status?.deployed).toBeUndefined();
    world.approve("bob", { stage: "prod", digest: asked });
    world.run(hour);
    expect(world.stage("prod")).toMatchObject({ phase: "Passed", running: { digest: asked } });
  });

  test("check 15: an Approval of a digest that no plan has has no effect", () => {
    const { world } = waiting();
    world.approve("ann", { stage: "prod", digest: "f".repeat(32) });
    world.run(24 * hour);
    expect(promoted(world, "prod")).toEqual([]);
  });

  test("check 17: two Approvals of one user count once", () => {
    const { world, commit, digest } = waiting({ count: 2 });
    world.approve("ann", { stage: "prod", digest });
    world.approve("ann-again", { stage: "prod", digest, by: "ann" });
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([]);
    expect(waitingOf(world, "prod")).toContain("1 of 2 approvals");
    world.approve("bob", { stage: "prod", digest });
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([commit]);
    expect(world.promotions("prod")[0]?.spec.approvals?.map(({ by }) => by)).toEqual(["ann", "bob"]);
  });

  test("check 18: a rejection fails the candidate for this stage until it is withdrawn, and newer ones continue", () => {
    const { world, commit, digest } = waiting();
    world.approve("ann", { stage: "prod", digest });
    world.approve("bob", { stage: "prod", digest, decision: "Reject", reason: "too early" });
    world.run(0);
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([]);
    expect(waitingOf(world, "prod")).toContain("too early");
    const newer = world.push(everywhere("2"));
    world.run(hour);
    expect(world.stage("prod").next?.revision).toBe(newer);
    world.remove("Approval", "bob");
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([commit]);
  });

  test("check 18: when the newest candidate is rejected the previous one waits for approval", () => {
    const { world, commit, digest } = waiting();
    world.push(everywhere("2"));
    world.run(hour);
    const newest = world.stage("prod").next?.digest ?? "";
    expect(newest).not.toBe(digest);
    world.approve("bob", { stage: "prod", digest: newest, decision: "Reject", reason: "too early" });
    world.run(hour);
    expect(world.stage("prod").next).toMatchObject({ revision: commit, digest });
    expect(waitingOf(world, "prod")).toContain(`${digest}: 0 of 1 approvals`);
    world.approve("ann", { stage: "prod", digest });
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([commit]);
  });

  test("check 19: without the binding of the policy no Approval counts, and a condition reports it; when it is restored, the stage continues", () => {
    const { world, commit, digest } = waiting();
    const kind = "ValidatingAdmissionPolicyBinding";
    const binding = world.objects.find(kind, "approvals");
    world.remove(kind, "approvals");
    world.approve("ann", { stage: "prod", digest });
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([]);
    expect(JSON.stringify(world.pipeline.status?.conditions)).toContain(
      "the binding of the admission policy approvals is missing",
    );
    if (binding !== undefined) world.change(binding);
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([commit]);
  });

  test("check 20: an Approval that is deleted before the Promotion does not count, and its deletion afterwards has no effect", () => {
    const { world, commit, digest } = waiting();
    world.freeze("now");
    world.approve("ann", { stage: "prod", digest });
    world.run(minute);
    world.remove("Approval", "ann");
    world.remove("Freeze", "now");
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([]);
    world.approve("bob", { stage: "prod", digest });
    world.run(0);
    world.remove("Approval", "bob");
    world.run(hour);
    expect(world.stage("prod")).toMatchObject({ phase: "Passed", running: { revision: commit } });
    expect(world.promotions("prod")[0]?.spec.approvals).toMatchObject([{ by: "bob", digest }]);
  });

  test("check 22: a higher number of required approvals takes effect at once", () => {
    const { world, digest } = waiting({ count: 2 });
    world.approve("ann", { stage: "prod", digest });
    world.run(minute);
    const [dev, staging, prod] = world.pipeline.spec.stages;
    world.editStages([dev, staging, { ...prod, enter: { approvals: { count: 3 } } }] as object[]);
    world.approve("bob", { stage: "prod", digest });
    world.run(hour);
    expect(waitingOf(world, "prod")).toContain("2 of 3 approvals");
  });

  test("check 23: a stage that runs X records who approved it, when, which digest, which gates were skipped and why", () => {
    const { world, commit, digest } = waiting();
    world.approve("ann", { stage: "prod", digest });
    world.run(minute);
    world.freeze("now");
    world.request("again", {
      stage: "prod",
      revision: commit,
      by: "bob",
      reason: "drill",
      bypass: ["Freeze"],
    });
    world.run(minute);
    expect(world.promotions("prod").map(({ spec }) => spec)).toMatchObject([
      { approvals: [{ by: "ann", at: "2026-01-01T01:01:00Z", digest }] },
      { by: "bob", reason: "drill", bypass: ["Freeze"], request: { name: "again" }, digest },
    ]);
  });

  test("an Approval counts again when a later commit renders the same digest, until it is deleted", () => {
    const { world, commit, digest } = waiting();
    world.approve("ann", { stage: "prod", revision: commit, digest });
    world.run(minute);
    const next = (text: string): string => {
      const pushed = world.push(everywhere(text));
      world.run(hour);
      return pushed;
    };
    const other = next("2");
    world.approve("bob", { stage: "prod", digest: world.stage("prod").next?.digest });
    world.run(minute);
    const back = next("1");
    expect(promoted(world, "prod")).toEqual([commit, other, back]);
    expect(world.promotions("prod").at(-1)?.spec).toMatchObject({ digest, approvals: [{ by: "ann" }] });
    world.remove("Approval", "bob");
    next("2");
    expect(promoted(world, "prod")).toEqual([commit, other, back]);
    expect(waitingOf(world, "prod")).toContain("0 of 1 approvals");
  });

  test("an approved older candidate does not wait for the approval of a newer one", () => {
    const { world, commit, digest } = waiting();
    const newer = world.push(everywhere("2"));
    world.run(hour);
    expect(world.stage("prod").next?.revision).toBe(newer);
    world.approve("ann", { stage: "prod", digest });
    world.run(10 * second);
    expect(promoted(world, "prod")).toEqual([commit]);
  });
});
