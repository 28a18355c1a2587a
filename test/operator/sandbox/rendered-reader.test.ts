import { expect, test } from "vitest";
import { RenderedReader } from "../../../operator/sandbox/rendered-reader.ts";

test("reports how long the reader of a folder worked, and refuses other values for it", () => {
  const heard: number[] = [];
  const onWorked = (ms: number): void => void heard.push(ms);
  const reader = new RenderedReader({ onSlow: () => {}, onWorked, memoryLimit: 0 });
  reader.take({ body: { workedMs: 120.5 }, parts: [] });
  expect(heard).toEqual([120.5]);
  for (const workedMs of [-1, "1", null])
    expect(() => reader.take({ body: { workedMs }, parts: [] })).toThrow();
});
