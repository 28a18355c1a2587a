import { describe, expect, test } from "vitest";
import { OutageNotices } from "../../../operator/engine/outage-notices.ts";

const outage = { type: "Warning", reason: "RepositoryUnreachable", action: "Publish", note: "" } as const;
const isOver = { type: "Normal", reason: "Published", action: "Publish", note: "" } as const;
const rejected = { type: "Warning", reason: "ApplyRejected", action: "Apply", note: "" } as const;

describe("OutageNotices", () => {
  test("are reported once for all resources, and once when it is over", () => {
    const notices = new OutageNotices();
    const news = [outage, outage, outage, isOver, isOver, outage].map((event) => notices.isNew(event));
    expect(news).toEqual([true, false, false, true, false, true]);
  });

  test("are reported again when the reason changes", () => {
    const notices = new OutageNotices();
    expect(notices.isNew(outage)).toBe(true);
    expect(notices.isNew({ ...outage, reason: "PushRefused" })).toBe(true);
    expect(notices.isNew({ ...outage, reason: "PushRefused" })).toBe(false);
  });

  test("report the end of an outage that began before the operator was restarted", () => {
    const notices = new OutageNotices();
    expect([notices.isNew(isOver), notices.isNew(isOver)]).toEqual([true, false]);
  });

  test("are reported once for each remote of sources, whatever else the notes say", () => {
    const notices = new OutageNotices();
    const lost = { type: "Warning", reason: "SourceUnreachable", action: "Source", note: "web" } as const;
    const found = { type: "Normal", reason: "Sourced", action: "Source", note: "" } as const;
    const news = [
      notices.isNew(lost, "a"),
      notices.isNew({ ...lost, note: "api" }, "a"),
      notices.isNew(lost, "b"),
      notices.isNew(found, "a"),
      notices.isNew(found, "a"),
      notices.isNew(lost, "b"),
      notices.isNew(found, "b"),
      notices.isNew(lost, "a"),
    ];
    expect(news).toEqual([true, false, true, true, false, false, true, true]);
    // The end of an outage that began before the operator was restarted
    expect(new OutageNotices().isNew(found, "a")).toBe(true);
    // Other failures concern one resource.
    const missing = { ...lost, reason: "SourceNotFound" } as const;
    expect([notices.isNew(missing, "b"), notices.isNew(missing, "b")]).toEqual([true, true]);
  });

  test("do not withhold events that concern one resource", () => {
    const notices = new OutageNotices();
    expect([notices.isNew(rejected), notices.isNew(rejected)]).toEqual([true, true]);
  });
});
