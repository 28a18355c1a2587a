import { expect, test } from "vitest";
import { addSlices } from "../../../../rig/bench/cell/cell.ts";

test("addSlices() adds to every scenario the slices during it, longest first", () => {
  const end = Date.parse("2026-01-01T00:01:00Z");
  const slice = (atMs: number, cpuMs: number) => ({ atMs, wallMs: cpuMs + 1, cpuMs });
  const lines = [{ scenario: "edit", n: 10, time: "2026-01-01T00:01:00Z", wall_s: 30 }];
  const slices = [
    slice(end - 40_000, 99),
    slice(end - 20_000, 12),
    slice(end - 10_000, 30),
    slice(end + 5_000, 98),
  ];
  const [edit] = addSlices(lines, slices);
  expect(edit).toMatchObject({ scenario: "edit", slice_cpu_ms: 30 });
  expect(edit?.["slices"]).toEqual([slice(end - 10_000, 30), slice(end - 20_000, 12)]);
});
