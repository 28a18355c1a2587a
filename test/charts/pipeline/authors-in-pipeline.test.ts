import { describe, expect, test } from "vitest";
import { ReleasePolicy } from "../../../crds/release-policy.ts";
import { DeliveryWorld } from "./delivery-world.ts";
import { aShop, everywhere, gatesOf, hour, minute, promoted, second, waitingOf } from "./stages.ts";

const asks = (rule: object = {}) => ({ prod: { enter: { approvals: { count: 1, ...rule } } } });

describe("notAuthor of a Pipeline's stage", () => {
  /** A world whose prod runs a commit of Ann and waits with a commit of Bob, whose address is not mapped. */
  function authored() {
    const world = aShop(asks({ notAuthor: true }));
    const asked: string[] = [];
    const by = new Map<string, string>();
    world.authorsOf = (span) => {
      const from = world.commits.findIndex(({ id }) => id === span.since);
      const to = world.commits.findIndex(({ id }) => id === span.until);
      asked.push(`${from + 1}..${to + 1}`);
      const authors = world.commits
        .slice(from + 1, to + 1)
        .map(({ id }) => ({ commit: id, email: by.get(id) ?? "" }));
      return { ...span, state: "known", authors };
    };
    const push = (text: string, email: string): string => {
      const commit = world.push(everywhere(text));
      by.set(commit, email);
      world.run(hour);
      return commit;
    };
    const policy = (name: string, user: string, email: string) => {
      const spec = { rules: [], authors: [{ user, emails: [email] }] };
      world.create({ kind: ReleasePolicy, name, spec });
      world.run(0);
    };
    const approve = (name: string, by: string) =>
      world.approve(name, { stage: "prod", by, digest: world.stage("prod").next?.digest ?? "" });
    policy("ann", "ann", "ann@example.dev");
    return { world, asked, push, policy, approve };
  }

  test("check 17: an author of the commits does not count, and another user does", () => {
    const { world, asked, push, policy, approve } = authored();
    const first = push("1", "ann@example.dev");
    expect(waitingOf(world, "prod")).toContain("0 of 1 approvals, not by an author of the commits (ann)");
    expect(world.stage("prod").waiting).toMatchObject([{ gate: "Approvals", excluded: ["ann"] }]);
    approve("own", "ann");
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([]);
    expect(waitingOf(world, "prod")).toContain(
      "Approval own does not count: ann is an author of the commits",
    );
    approve("other", "eve");
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first]);
    // Nothing has run in prod before, so the whole history counts. Later, only the commits since then count.
    push("2", "bob@example.dev");
    const third = push("3", "ann@example.dev");
    expect(new Set(asked)).toEqual(new Set(["0..1", "1..2", "1..3"]));
    approve("third", "eve");
    world.run(hour);
    expect(waitingOf(world, "prod")).toContain(
      `no ReleasePolicy names in spec.authors the author of commit ${"0".repeat(12)} (b…@example.dev)`,
    );
    expect(promoted(world, "prod")).toEqual([first]);
    policy("bob", "bob", "BOB@example.dev");
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([first, third]);
    expect(world.promotions("prod").at(-1)?.spec.approvals).toMatchObject([{ by: "eve" }]);
  });

  test("the Approval of an author of an earlier undeployed commit does not count", () => {
    const { world, push, policy, approve } = authored();
    policy("bob", "bob", "bob@example.dev");
    push("1", "ann@example.dev");
    approve("first", "eve");
    world.run(hour);
    push("2", "bob@example.dev");
    push("3", "ann@example.dev");
    approve("bobs", "bob");
    world.run(hour);
    expect(waitingOf(world, "prod")).toContain(
      "Approval bobs does not count: bob is an author of the commits",
    );
  });

  test("excludes the author also when an approved commit was never applied and is asked for with another digest", () => {
    const { world, push, approve } = authored();
    const commit = push("1", "ann@example.dev");
    world.onCreate = ({ stage }) => {
      if (stage === "prod") world.upgrade("2");
    };
    approve("first", "eve");
    world.run(2 * hour);
    expect(world.promotions("prod")).toMatchObject([{ status: { phase: "Failed" } }]);
    approve("own", "ann");
    world.run(hour);
    expect(waitingOf(world, "prod")).toContain(
      "Approval own does not count: ann is an author of the commits",
    );
    expect(world.release("prod").status?.deployed).toBeUndefined();
    approve("other", "eve");
    world.run(hour);
    expect(world.stage("prod")).toMatchObject({ phase: "Passed", running: { revision: commit } });
  });

  test("is closed while the history is not known, and requests no authors for a Promotion that skips approvals", () => {
    const { world, asked, push } = authored();
    world.authorsOf = (span) => ({ ...span, state: "failed", message: "the history is not complete" });
    const commit = push("1", "ann@example.dev");
    world.approve("eve", { stage: "prod", digest: world.stage("prod").next?.digest ?? "" });
    world.run(hour);
    expect(waitingOf(world, "prod")).toContain(
      "no approval counts: the authors of the commits are not known: the history is not complete",
    );
    expect(world.pipeline.status?.conditions).toMatchObject([{ reason: "Approvals" }]);
    asked.length = 0;
    world.authorsOf = () => expect.unreachable("nothing needs it");
    world.request("now", {
      stage: "prod",
      revision: commit,
      by: "bob",
      reason: "outage",
      bypass: ["Approvals"],
    });
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([commit]);
  });

  test("says that the first commit of a stage with a long history needs a bypass, and how to give it", () => {
    const { world, push, approve } = authored();
    const { authorsOf } = world;
    const message = "the history has more than 2000 commits";
    world.authorsOf = (span) => ({ ...span, state: "failed", message, isTooLong: true });
    const first = push("1", "ann@example.dev");
    approve("eve", "eve");
    world.run(hour);
    const command = (commit: string): string =>
      `a user with the verb bypass runs: fairlead promote shop prod ${commit} --bypass Approvals --reason TEXT`;
    expect(waitingOf(world, "prod")).toContain(
      `no approval counts: the authors of the commits are not known: ${message}; the stage has no current commit, so its whole history counts, and ${command(first)}`,
    );
    // It becomes the current commit, and later commits need approvals as usual.
    const bypass = { by: "bob", reason: "first deployment", bypass: ["Approvals"] };
    world.request("first", { stage: "prod", revision: first, ...bypass });
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first]);
    const second = push("2", "ann@example.dev");
    expect(waitingOf(world, "prod")).toContain(
      `${message}; promote an earlier commit first, or ${command(second)}`,
    );
    world.authorsOf = authorsOf;
    world.restart();
    approve("second", "eve");
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first, second]);
  });

  test("keeps its message while the history is read again after a restart, and reports an error of the source", () => {
    const { world, push, approve } = authored();
    push("1", "ann@example.dev");
    const said = waitingOf(world, "prod");
    const { source, authorsOf } = world;
    const writes = world.writes.length;
    for (const state of [{ state: "pending" } as const, source]) {
      world.source = state;
      world.authorsOf = (span) => ({ ...span, state: "pending" });
      world.restart();
      world.run(minute);
      expect(waitingOf(world, "prod")).toBe(said);
    }
    expect(world.writes.slice(writes)).toEqual([]);
    // The gate reports it, and stays closed.
    approve("eve", "eve");
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([]);
    world.source = { state: "failed", reason: "SourceUnreachable", message: "no answer" };
    world.restart();
    world.run(minute);
    expect(waitingOf(world, "prod")).toContain("the authors of the commits are not known: no answer");
    expect(promoted(world, "prod")).toEqual([]);
    Object.assign(world, { source, authorsOf });
    world.restart();
    world.run(minute);
    expect(promoted(world, "prod")).toHaveLength(1);
  });

  test("requests no authors in a Pipeline without it", () => {
    const world = aShop(asks());
    world.authorsOf = () => expect.unreachable("no stage excludes authors");
    world.push(everywhere("1"));
    world.run(hour);
    expect(gatesOf(world, "prod")).toEqual(["Approvals"]);
  });
});

test("the newest candidate of every stage is asked for first: only so many spans are read", () => {
  const prods = ["a", "b", "c", "d"].map((name) => ({
    ...{ name, after: ["dev"], releases: [{ name }] },
    enter: { approvals: { count: 1, notAuthor: true } },
  }));
  const stages = [{ name: "dev", releases: [{ name: "dev" }] }, ...prods];
  const world = new DeliveryWorld({ stages, throughCharts: true });
  let asked: string[] = [];
  world.authorsOf = (span) => {
    asked.push(span.until);
    return { ...span, state: "known", authors: [] };
  };
  let newest = "";
  for (let number = 1; number <= 12; number++) {
    newest = world.push({ dev: `${number}`, a: `${number}`, b: `${number}`, c: `${number}`, d: `${number}` });
    world.run(10 * second);
  }
  asked = [];
  world.restart();
  world.run(0);
  expect(asked.slice(0, 4)).toEqual(prods.map(() => newest));
  expect(asked.length).toBeGreaterThan(32);
});
