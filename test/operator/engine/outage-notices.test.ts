import { describe, expect, test } from "vitest";
import { OutageNotices } from "../../../operator/engine/outage-notices.ts";
import type { Transition } from "../../../operator/engine/transitions.ts";

/** An event by its reason; `after`: the end of a failure with this reason. */
type Told = { readonly at?: string } & (
  | { readonly bad: string; readonly after?: never }
  | { readonly bad?: never; readonly after: string }
);

function toldOf(action: "Source" | "Publish" | "Apply", { bad, after = "" }: Told): Transition {
  if (bad !== undefined) return { type: "Warning", reason: bad, action, note: "" };
  return { type: "Normal", reason: "Recovered", action, note: "", ended: after };
}

const unreachable = { bad: "RepositoryUnreachable" };
const reachable = { after: "RepositoryUnreachable" };
const lost = { bad: "SourceUnreachable" };
const found = { after: "SourceUnreachable" };
const missing = { bad: "SourceNotFound" };
const refused = { bad: "PublishRefused" };

describe("OutageNotices.isNew()", () => {
  test.for<{
    readonly does: string;
    readonly action: "Source" | "Publish" | "Apply";
    readonly told: readonly Told[];
    readonly isNew: readonly boolean[];
  }>([
    {
      does: "reports an outage once for all resources, and once when it is over",
      action: "Publish",
      told: [unreachable, unreachable, reachable, reachable, unreachable],
      isNew: [true, false, true, false, true],
    },
    {
      does: "reports an outage again when its reason changes",
      action: "Publish",
      told: [unreachable, { bad: "PushRefused" }, { bad: "PushRefused" }, { bad: "RepositoryOwned" }],
      isNew: [true, true, false, true],
    },
    {
      does: "reports the end of an outage that began before the operator was restarted",
      action: "Publish",
      told: [reachable, reachable],
      isNew: [true, false],
    },
    {
      does: "reports an outage once for each place of the repository",
      action: "Publish",
      told: [unreachable, { ...unreachable, at: "other" }, reachable, { ...unreachable, at: "other" }],
      isNew: [true, true, true, false],
    },
    {
      does: "reports each Release that may not be published at its place, and each that may again, during an outage, too",
      action: "Publish",
      told: [refused, refused, unreachable, refused, { after: "PublishRefused" }, unreachable, reachable],
      isNew: [true, true, true, true, true, false, true],
    },
    {
      does: "reports an outage once for each remote of sources",
      action: "Source",
      told: [
        lost,
        lost,
        { ...lost, at: "b" },
        found,
        found,
        { ...lost, at: "b" },
        { ...found, at: "b" },
        lost,
      ],
      isNew: [true, false, true, true, false, false, true, true],
    },
    {
      does: "reports each failure of a source that concerns one resource, and each recovery from it",
      action: "Source",
      told: [
        missing,
        { after: "SourceNotFound" },
        missing,
        { after: "SourceNotFound" },
        lost,
        found,
        missing,
      ],
      isNew: [true, true, true, true, true, true, true],
    },
    {
      does: "reports each event about the objects of a resource",
      action: "Apply",
      told: [{ bad: "ApplyRejected" }, { bad: "ApplyRejected" }],
      isNew: [true, true],
    },
  ])("$does", ({ action, told, isNew }) => {
    const notices = new OutageNotices();
    const news = told.map(({ at = "a", ...event }) => notices.isNew(toldOf(action, event as Told), at));
    expect(news).toEqual(isNew);
  });

  test("reports every event about an unknown remote", () => {
    const notices = new OutageNotices();
    expect([1, 2].map(() => notices.isNew(toldOf("Source", lost), undefined))).toEqual([true, true]);
  });
});
