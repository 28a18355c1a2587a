import { describe, expect, test } from "vitest";
import { isResourceFolder, planSweep } from "../../../operator/engine/sweep.ts";
import type { FolderClaim } from "../../../operator/ports.ts";

/** Folders by claim: `{ gone: 2, wanted: 3 }` are five of them. */
function sweepOf(counts: Partial<Record<FolderClaim, number>>, approved?: string) {
  const folders = Object.entries(counts).flatMap(([claim, count]) =>
    Array.from({ length: count }, (_, index) => `shop/echoes.fairlead.dev/${claim}-${index}`),
  );
  const claimOf = (folder: string) => (folder.split("/")[2] ?? "").replace(/-\d+$/, "") as FolderClaim;
  return planSweep({ folders, claimOf, approved });
}

describe("planSweep()", () => {
  test.for([
    { has: { gone: 0, wanted: 5 }, removed: 0, held: false },
    { has: { gone: 2, wanted: 5, unknown: 9 }, removed: 2, held: false },
    { has: { gone: 3 }, removed: 3, held: false },
    { has: { gone: 5, wanted: 5 }, removed: 5, held: false },
    { has: { gone: 5, wanted: 4 }, removed: 0, held: true },
    { has: { gone: 5, wanted: 4, unknown: 100 }, removed: 0, held: true },
    { has: { unknown: 100 }, removed: 0, held: false },
  ])("of $has removes $removed (held: $held)", ({ has, removed, held }) => {
    const plan = sweepOf(has);
    expect(plan.remove).toHaveLength(removed);
    expect(plan.held !== undefined).toBe(held);
    for (const folder of plan.remove) expect(folder).toContain("gone");
  });

  test("an approval counts only for the approved folders", () => {
    const { held } = sweepOf({ gone: 5, wanted: 1 });
    expect(held).toEqual({ id: expect.stringMatching(/^sweep-[0-9a-f]{12}$/), gone: 5, folders: 6 });
    expect(sweepOf({ gone: 5, wanted: 1 }, held?.id).remove).toHaveLength(5);
    expect(sweepOf({ gone: 6, wanted: 1 }, held?.id).remove).toHaveLength(0);
  });
});

describe("isResourceFolder()", () => {
  test.for([
    { path: "shop/echoes.fairlead.dev/hello", is: true },
    { path: "_cluster/pod-sets.fairlead.dev/a_01234567", is: true },
    { path: "shop/echoes.fairlead.dev/hello/other", is: false },
    { path: "shop/echoes.fairlead.dev", is: false },
    { path: "shop/echoes/hello", is: false },
    { path: ".github/work.flows/x", is: false },
    { path: "docs/.hidden/x", is: false },
  ])("$path: $is", ({ path, is }) => {
    expect(isResourceFolder(path)).toBe(is);
  });
});
