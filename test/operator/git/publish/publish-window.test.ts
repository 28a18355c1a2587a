import { expect, test } from "vitest";
import { publishWindowMs } from "../../../../operator/git/publish/publish-window.ts";

test.for([
  { when: "nothing was committed yet", lastBatch: 0, sinceMs: 0, windowMs: 30 },
  { when: "the last single edit was long ago", lastBatch: 1, sinceMs: 10_000, windowMs: 30 },
  { when: "a single edit came just before", lastBatch: 1, sinceMs: 60, windowMs: 140 },
  { when: "many resources change", lastBatch: 100, sinceMs: 50, tookMs: 40, windowMs: 800 },
  { when: "pushes are slow", lastBatch: 100, sinceMs: 50, tookMs: 200, windowMs: 650 },
  { when: "pushes are very slow", lastBatch: 100, sinceMs: 50, tookMs: 5_000, windowMs: 450 },
  { when: "the changes have stopped", lastBatch: 100, sinceMs: 900, windowMs: 30 },
])("publishWindowMs() is $windowMs ms when $when", ({ lastBatch, sinceMs, tookMs = 50, windowMs }) => {
  expect(publishWindowMs({ lastBatch, sinceMs, tookMs })).toBe(windowMs);
});
