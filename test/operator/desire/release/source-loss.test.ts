import { describe, expect, test } from "vitest";
import { isPinnedTo } from "../../../../operator/desire/release/source-loss.ts";
import { deployedRelease } from "../../../fakes/release-statuses.ts";
import { aCommit } from "../../../fakes/releases.ts";

describe("isPinnedTo()", () => {
  const [deployed, other] = [aCommit("b").id, aCommit("c").id];
  const all = ["SourceUnreachable", "SourceRefused", "SourceNotFound", "SourceNotVerified"] as const;
  const standing = (spec: object, source: object, head: string) =>
    all.filter((reason) =>
      isPinnedTo(
        head,
        {
          status: deployedRelease.status as never,
          spec: {
            ...deployedRelease.spec,
            ...spec,
            source: { ...deployedRelease.spec.source, ...source },
          },
        },
        { reason },
      ),
    );

  test.for([
    { case: "a branch", spec: {}, source: {}, reasons: [] },
    { case: "a pin", spec: { revision: deployed }, source: {}, reasons: all.slice(0, 3) },
    { case: "another pin", spec: { revision: other }, source: {}, reasons: [] },
    { case: "a commit", spec: {}, source: { ref: { commit: deployed } }, reasons: all.slice(0, 3) },
    { case: "a tag", spec: {}, source: { ref: { tag: "v1" } }, reasons: all.slice(0, 2) },
    { case: "a range of tags", spec: {}, source: { ref: { semver: "1" } }, reasons: [] },
  ])("$case stays through $reasons", ({ spec, source, reasons }) => {
    expect(standing(spec, source, deployed)).toEqual(reasons);
  });

  test("no condition stays while another commit is in progress", () => {
    const status = { ...deployedRelease.status, attempted: other } as never;
    const spec = { ...deployedRelease.spec, revision: deployed };
    expect(isPinnedTo(deployed, { spec, status }, { reason: "SourceUnreachable" })).toBe(false);
  });
});
