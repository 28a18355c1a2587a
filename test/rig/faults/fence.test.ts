import { describe, expect, test } from "vitest";
import type { AuditedRequest } from "../../../rig/faults/audit-tail.ts";
import { checkFence } from "../../../rig/faults/fence.ts";
import type { SentWrite } from "../../../rig/faults/journal.ts";

interface Sent {
  readonly by: string;
  readonly atMs: number;
  readonly doneMs?: number;
  /** A claim of the Lease for this one; otherwise a write of an object. */
  readonly holder?: string;
  readonly code?: number;
}

function check(writes: readonly Sent[], forcedAtMs?: number) {
  const sent = writes.map(
    ({ by, atMs, holder }, index): SentWrite => ({
      auditId: `id-${index}`,
      incarnation: by,
      method: "PATCH",
      path: holder === undefined ? "/object" : "/leases/fairlead",
      arrivedMs: atMs,
      holder,
    }),
  );
  const audited = writes.map(
    ({ atMs, doneMs = atMs + 5, code = 200 }, index) =>
      ({
        auditID: `id-${index}`,
        stageTimestamp: new Date(doneMs).toISOString(),
        responseStatus: { code },
      }) as AuditedRequest,
  );
  const forced = forcedAtMs === undefined ? [] : [{ fromMs: forcedAtMs - 20, toMs: forcedAtMs + 20 }];
  return checkFence({ sent, audited, forced, renewDeadlineMs: 1_500 });
}

const claimOf = (by: string, atMs: number): Sent => ({ by, atMs, holder: by });

describe("checkFence()", () => {
  test.for<[string, readonly Sent[], number]>([
    ["of who holds the Lease is fenced", [claimOf("a", 0), { by: "a", atMs: 100 }], 0],
    ["of who never held it is not", [claimOf("a", 0), { by: "b", atMs: 100 }], 1],
    ["after another one took it is not", [claimOf("a", 0), claimOf("b", 3_000), { by: "a", atMs: 3_100 }], 1],
    [
      "while another instance acquires it may succeed",
      [claimOf("a", 0), claimOf("b", 3_000), { by: "a", atMs: 3_001 }],
      0,
    ],
    [
      "after it was released is not allowed",
      [claimOf("a", 0), { ...claimOf("a", 50), holder: "" }, { by: "a", atMs: 90 }],
      1,
    ],
    ["that was refused does no harm", [claimOf("a", 0), { by: "b", atMs: 100, code: 409 }], 0],
    [
      "after a rejected claim is not allowed",
      [
        { ...claimOf("a", 0), code: 409 },
        { by: "a", atMs: 100 },
      ],
      1,
    ],
  ])("a write %s", ([, writes, count]) => {
    expect(check(writes).unfenced).toHaveLength(count);
  });

  test("an instance whose Lease was taken over by force may write until its own deadline, and no longer", () => {
    const taken = [claimOf("a", 0), claimOf("b", 100)];
    expect(check([...taken, { by: "a", atMs: 400 }], 50).unfenced).toEqual([]);
    expect(check([...taken, { by: "a", atMs: 1_900 }], 50).unfenced).toHaveLength(1);
    expect(check([...taken, { by: "a", atMs: 400 }]).unfenced).toHaveLength(1);
  });

  test("a write that was delayed until another instance led is distinguished", () => {
    const writes = [claimOf("a", 0), { by: "a", atMs: 100, doneMs: 4_000 }, claimOf("b", 3_000)];
    expect(check(writes)).toMatchObject({ unfenced: [], late: [expect.stringContaining("operator a")] });
  });
});
