import { describe, expect, test } from "vitest";
import { remainingMs } from "../../../../operator/engine/health/health-fields.ts";

const at = "2026-11-29T12:00:00Z";
const atMs = Date.parse(at);

describe("remainingMs()", () => {
  test.for([
    { case: "that began now", since: atMs, nowMs: atMs, leftMs: 300 },
    { case: "that began at a time of a status", since: at, nowMs: atMs + 100, leftMs: 200 },
    { case: "that is over", since: atMs, nowMs: atMs + 301, leftMs: 0 },
    { case: "with a clock that was set back", since: atMs, nowMs: atMs - 1_000_000, leftMs: 300 },
    { case: "without a beginning", since: undefined, nowMs: atMs, leftMs: 0 },
  ])("of a period $case is $leftMs ms", ({ since, nowMs, leftMs }) => {
    expect(remainingMs(since, 300, nowMs)).toBe(leftMs);
  });
});
