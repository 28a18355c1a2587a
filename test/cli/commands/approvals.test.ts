import { describe, expect, test } from "vitest";
import { waitingStages } from "../../../cli/commands/approvals.ts";
import type { Caller } from "../../../cli/pipeline/who-am-i.ts";
import type { StoredObject } from "../../../cli/release/api-client.ts";
import { aPipeline, newer, prodDigest } from "../pipeline/a-pipeline.ts";

const digest = prodDigest(newer);

/** Whether an Approval of the caller would count for stage prod, which asks for one of group `sre`. */
function mayCount(
  caller: Caller,
  {
    excluded,
    approvals = [],
  }: { readonly excluded?: string[]; readonly approvals?: readonly StoredObject[] } = {},
): readonly boolean[] {
  const plain = aPipeline();
  const stages = plain.status?.stages?.map(({ waiting, ...stage }) => ({
    ...stage,
    ...(waiting && { waiting: waiting.map((gate) => ({ ...gate, ...(excluded && { excluded }) })) }),
  }));
  const pipeline = { ...plain, status: { ...plain.status, stages } } as typeof plain;
  return waitingStages(pipeline, { approvals, caller, flags: {} }).map((stage) => stage.mayCount);
}

function anApproval(by: string, spec: object = {}): StoredObject {
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Approval",
    metadata: { name: by, namespace: "shop", uid: by },
    spec: { pipeline: "shop", stage: "prod", revision: newer, digest, decision: "Approve", by, ...spec },
  };
}

describe("a stage that waits for approvals is listed", () => {
  const ada = { username: "ada", groups: ["sre"] };

  test("for a user whose Approval would count", () => {
    expect(mayCount(ada)).toEqual([true]);
    expect(mayCount(ada, { excluded: ["bob"], approvals: [anApproval("bob")] })).toEqual([true]);
    expect(mayCount(ada, { approvals: [anApproval("ada", { digest: "0".repeat(32) })] })).toEqual([true]);
  });

  test("not for a user who has decided", () => {
    expect(mayCount(ada, { approvals: [anApproval("ada")] })).toEqual([false]);
    expect(mayCount(ada, { approvals: [anApproval("ada", { decision: "Reject" })] })).toEqual([false]);
  });

  test("not while another user rejects the digest", () => {
    expect(mayCount(ada, { approvals: [anApproval("bob", { decision: "Reject" })] })).toEqual([false]);
  });

  test("not for an author of the commits, where the stage excludes them", () => {
    expect(mayCount(ada, { excluded: ["ada", "bob"] })).toEqual([false]);
  });

  test("not for a user who is in none of the groups that the stage requires", () => {
    expect(mayCount({ username: "ada", groups: ["developers"] })).toEqual([false]);
  });
});
