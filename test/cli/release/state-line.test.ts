import { describe, expect, test } from "vitest";
import { describeRelease, describeTrouble } from "../../../cli/release/state-line.ts";
import { aRelease, commitId, condition, deployed } from "./a-release.ts";

const down = condition("Sourced", "False", { reason: "SourceUnreachable", message: "no\u0007 answer" });
const at = { revision: commitId("1a2b"), history: [deployed("1a2b", "Ready", "Add a shop")] };

describe("the state of a Release in one line", () => {
  test.for([
    {
      state: "ready",
      release: { status: { ...at, conditions: [condition("Ready", "True")] } },
      line: "Release shop/web is Ready at 1a2b000000 (Add a shop)",
      trouble: undefined,
    },
    {
      state: "in an outage that is short so far",
      release: { status: { ...at, conditions: [condition("Ready", "True"), down] } },
      line: "Release shop/web is Ready at 1a2b000000 (Add a shop), source unavailable (SourceUnreachable)",
      trouble: "no  answer",
    },
    {
      state: "without its source for good",
      release: {
        status: {
          ...at,
          conditions: [
            condition("Ready", "False", { reason: "SourceNotFound", message: "no folder" }),
            condition("Sourced", "False", { reason: "SourceNotFound", message: "none" }),
          ],
        },
      },
      line: "Release shop/web is not ready (SourceNotFound) at 1a2b000000 (Add a shop)",
      trouble: "no folder",
    },
    {
      state: "pinned and suspended",
      release: {
        spec: { suspend: true, revision: commitId("1a2b") },
        status: { ...at, conditions: [condition("Ready", "True", { reason: "Suspended" })] },
      },
      line: "Release shop/web is Ready at 1a2b000000 (Add a shop), suspended, pinned",
      trouble: undefined,
    },
    {
      state: "of a stage",
      release: {
        spec: {
          source: { url: "https://git.example/shop.git", ref: { pipeline: "shop", stage: "prod" } },
          revision: commitId("1a2b"),
        },
        status: { ...at, conditions: [condition("Ready", "True")] },
      },
      line: "Release shop/web is Ready at 1a2b000000 (Add a shop), of Pipeline shop, stage prod",
      trouble: undefined,
    },
  ])("that is $state", ({ release, line, trouble }) => {
    expect(describeRelease(aRelease(release))).toBe(line);
    expect(describeTrouble(aRelease(release))).toBe(trouble);
  });
});
