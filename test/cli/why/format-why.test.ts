import { describe, expect, test } from "vitest";
import { formatWhy } from "../../../cli/why/format-why.ts";
import { addHeldPrune } from "../../../cli/why/held-prune.ts";
import { exitCodeOf, type WhyReport, type WhyStep } from "../../../cli/why/why-report.ts";
import { someCommands } from "./a-session.ts";

const step = (name: string, does: WhyStep["does"] = "create", reason = "it does not exist"): WhyStep => ({
  does,
  id: `/ConfigMap/shop/${name}`,
  reason,
});
const report = (more: Partial<WhyReport> = {}): WhyReport => ({
  title: "Release shop/web is Ready",
  wants: { objects: 2, steps: [], unread: 0, surplus: [] },
  waits: [],
  changed: [],
  next: [],
  unknown: [],
  ...more,
});
const wants = (steps: readonly WhyStep[], surplus: readonly WhyStep[] = []) => ({
  wants: { objects: 2, steps, unread: 0, surplus },
});
const wait = { on: "NotOwned", message: "theirs", since: "2026-01-01T00:00:00Z", until: "it is gone" };

describe("a report on one screen", () => {
  test("shows the desired objects, the wait and its end, the last changes, and what to do", () => {
    const gate = "ConfigMap shop/late waits for ConfigMap shop/a: it is not applied yet";
    const text = formatWhy(
      report({
        ...wants(
          [step("late", "hold", gate), step("same", "keep", "data.x differs")],
          [step("old", "prune", "it is old")],
        ),
        waits: [wait],
        changed: ["Applied is False"],
        next: ["kubectl annotate"],
        unknown: ["the rest"],
      }),
    );
    expect(text).toEqual([
      "Release shop/web is Ready",
      "Wants 2 objects: 1 up to date, 1 pending",
      "ACTION  OBJECT               REASON",
      "hold    ConfigMap shop/late  waits for ConfigMap shop/a: it is not applied yet",
      "keep    ConfigMap shop/same  data.x differs",
      "prune   ConfigMap shop/old   it is old",
      "",
      "Waiting for:",
      "- NotOwned, since 2026-01-01T00:00:00Z: theirs",
      "  until it is gone",
      "",
      "Unknown:",
      "- the rest",
      "",
      "Last changes:",
      "- Applied is False",
      "",
      "Next steps:",
      "- kubectl annotate",
    ]);
  });

  test("counts the objects of other owners to which it adds", () => {
    const additions = {
      objects: 3,
      pending: 1,
      unread: 1,
      steps: [step("theirs", "extend", "x is missing")],
    };
    const text = formatWhy(report({ wants: { objects: 1, steps: [], unread: 0, surplus: [], additions } }));
    expect(text.slice(1, 5)).toEqual([
      "Wants 1 object: 1 up to date, 0 pending",
      "Adds to 3 objects of other owners: 1 up to date, 1 pending, 1 unknown",
      "ACTION  OBJECT                 REASON",
      "extend  ConfigMap shop/theirs  x is missing",
    ]);
  });

  test("omits lines beyond the limit, and counts them", () => {
    const many = Array.from({ length: 5_000 }, (_, index) => step(`m${index}`));
    const text = formatWhy(report({ ...wants(many), waits: Array.from({ length: 30 }, () => wait) }));
    expect(text.length).toBeLessThan(40);
    expect(text).toContain("… and 4990 more (-o json has all)");
    expect(text).toContain("… and 25 more (-o json has all)");
  });

  test("does not move the cursor with untrusted text", () => {
    const text = formatWhy(report({ waits: [{ on: "Failed", message: "\u001b[2Jgone" }] })).join("\n");
    expect(text).not.toContain("\u001b");
  });
});

describe("the exit code", () => {
  test.for<{ readonly says: string; readonly of: Partial<WhyReport>; readonly code: number }>([
    { says: "that there is no wait", of: {}, code: 0 },
    { says: "that an object is kept", of: wants([step("a", "keep")]), code: 0 },
    { says: "that there is a wait", of: { waits: [wait] }, code: 1 },
    { says: "that an object differs", of: wants([step("a")]), code: 1 },
    { says: "that an object is to be deleted", of: wants([], [step("a", "prune")]), code: 1 },
    {
      says: "that an addition is missing",
      of: {
        wants: {
          ...{ objects: 0, steps: [], unread: 0, surplus: [] },
          additions: { objects: 1, pending: 1, unread: 0, steps: [step("a", "extend")] },
        },
      },
      code: 1,
    },
    { says: "that the result is unknown", of: { unknown: ["all of it"] }, code: 2 },
    {
      says: "that there is a wait, although something is unknown",
      of: { waits: [wait], unknown: ["the rest"] },
      code: 1,
    },
  ])("says $says", ({ of, code }) => {
    expect(exitCodeOf(report(of))).toBe(code);
  });
});

describe("a held prune", () => {
  const command = "kubectl annotate release web -n shop --overwrite fairlead.dev/approve-prune=abc";
  const message = `Nothing is deleted, because … To approve this: ${command}`;
  const held = { objects: [], message };
  const decision = { now: [], later: [], leaving: [], kept: [], held };
  const told = { on: "PruneHeld", message };

  test("is a wait, with the command that approves it", () => {
    const { waits, next } = addHeldPrune(report(), decision, someCommands);
    expect(waits).toMatchObject([told]);
    expect(next).toEqual([`${command} --kubeconfig=/tmp/kube   # approves the deletion`]);
  });

  test("is shown once if the condition contains it", () => {
    const { waits, next } = addHeldPrune(report({ waits: [told] }), decision, someCommands);
    expect(waits).toEqual([told]);
    expect(next).toHaveLength(1);
  });

  test("changes nothing if there is none", () => {
    expect(addHeldPrune(report(), { ...decision, held: undefined }, someCommands)).toEqual(report());
  });
});
