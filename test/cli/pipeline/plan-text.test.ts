import { describe, expect, test } from "vitest";
import type { PipelineObject } from "../../../cli/pipeline/pipeline-object.ts";
import { gatesOf, type ReleasePlan, type StagePlan } from "../../../cli/pipeline/plan-stages.ts";
import { exitCodeOfPlan, formatPlan, markdownOfPlan } from "../../../cli/pipeline/plan-text.ts";
import type { Change, ChangeAction } from "../../../cli/release/diff/change.ts";

const aChange = (action: ChangeAction, diff = ""): Change => ({
  action,
  id: "apps/Deployment/dev/web",
  diff,
  note: undefined,
});

const aRelease = (actions: readonly ChangeAction[], more: Partial<ReleasePlan> = {}): ReleasePlan => ({
  release: "dev/web",
  report: {
    title: "Release dev/web",
    changes: actions.map((action) => aChange(action, action === "change" ? "-a\n+b\n" : "")),
    held: undefined,
    warnings: [],
  },
  error: undefined,
  ...more,
});

const aStage = (...releases: ReleasePlan[]): StagePlan => ({
  stage: "dev",
  digest: "0123456789abcdef0123456789abcdef",
  releases,
  gates: ["1 approval"],
});

const failed = { release: "dev/web", report: undefined, error: "main.ts:1:1: no" };

describe("the plan of a commit", () => {
  test.each([
    { does: "0 if no stage would change", plan: aRelease(["unchanged"]), code: 0 },
    { does: "1 if a stage would change", plan: aRelease(["unchanged", "change"]), code: 1 },
    { does: "2 if a change would be refused", plan: aRelease(["refused", "change"]), code: 2 },
    { does: "2 if a Release cannot be planned", plan: failed, code: 2 },
  ])("has the exit code $does", ({ plan, code }) => {
    expect(exitCodeOfPlan([aStage(aRelease(["unchanged"]), plan)])).toBe(code);
  });

  test("shows the differences, and one line for each stage", () => {
    const lines = formatPlan([
      aStage(aRelease(["change", "unchanged"])),
      { ...aStage(failed), stage: "prod", digest: undefined, gates: [] },
    ]);
    expect(lines).toEqual([
      "Stage dev:",
      "-a",
      "+b",
      "",
      "ACTION  OBJECT              NOTE",
      "change  Deployment dev/web",
      "Release dev/web: 1 changed, 1 unchanged",
      "",
      "Stage prod: Release dev/web: main.ts:1:1: no",
      "",
      "STAGE  DIGEST        CHANGES                          NEEDS",
      "dev    0123456789ab  dev/web: 1 changed, 1 unchanged  1 approval",
      "prod   none          dev/web: cannot be planned       none",
    ]);
  });

  const differing = {
    problems: [],
    releases: [
      {
        ...{ release: "prod/web", other: "dev/web", before: "dev", rules: "r" },
        ...{ digest: "1", otherDigest: "2", undeclared: ["ConfigMap web: data.level"], declared: [] },
      },
    ],
  };

  test("is refused if a stage has undeclared differences from the previous one", () => {
    const plan = { ...aStage(aRelease(["change"])), stage: "prod", differences: differing };
    expect(exitCodeOfPlan([plan])).toBe(2);
    const line =
      "Stage prod: Release prod/web differs from Release dev/web of stage dev in ConfigMap web: data.level, which is not declared";
    expect(formatPlan([plan])).toContain(line);
    expect(markdownOfPlan([plan], { title: "Plan" })).toContain(`\n\n- ${line}\n`);
  });

  test("is a comment of a pull request, whose code blocks no text can terminate", () => {
    const change = aChange("change", "+```\n+<script>\n");
    const text = markdownOfPlan(
      [aStage({ ...aRelease([]), report: { title: "", changes: [change], held: undefined, warnings: [] } })],
      { title: "Plan of commit 1a2b3c4d5e" },
    );
    expect(text).toContain("| dev | `0123456789ab` | dev/web: 1 changed | 1 approval |");
    expect(text).toContain("\n````diff\n+```\n+<script>\n````\n");
  });

  test("shows texts of others as they are: no HTML, no links, no mentions and no other cells", () => {
    const gate = "Freeze: <img src=x> [win](https://evil.test) @team \\| `x` **y** (until later)";
    const stage = { ...aStage(aRelease(["change"])), gates: [gate] };
    const text = markdownOfPlan([stage], { title: "Plan of ./<b> @all for Pipeline shop/shop" });
    const [title = "", , , , row = ""] = text.split("\n");
    expect(title).toBe("### Plan of ./&lt;b&gt; &#64;all for Pipeline shop/shop");
    expect(row).toContain(
      "| Freeze: &lt;img src=x&gt; &#91;win&#93;(https&#58;//evil.test) &#64;team &#92;&#124; &#96;x&#96; &#42;&#42;y&#42;&#42; (until later) |",
    );
  });

  test("is only the table if the differences are too long for a comment", () => {
    const changes = Array.from({ length: 30 }, () => aChange("change", `+${"x".repeat(2_500)}\n`));
    const text = markdownOfPlan(
      [aStage({ ...aRelease([]), report: { title: "", changes, held: undefined, warnings: [] } })],
      { title: "Plan" },
    );
    expect(text.length).toBeLessThan(1_000);
    expect(text).toContain("too long for a comment");
  });
});

describe("the gates of a stage", () => {
  const pipeline = (status?: object): PipelineObject =>
    ({
      metadata: { name: "shop", namespace: "delivery" },
      spec: {
        stages: [
          { name: "dev", releases: [] },
          {
            name: "prod",
            releases: [],
            enter: { approvals: { count: 2, groups: ["leads"], notAuthor: true }, windows: [{}] },
          },
          { name: "archive", after: ["dev", "prod"], releases: [] },
        ],
      },
      status,
    }) as unknown as PipelineObject;

  test.each([
    { stage: "dev", needs: [] },
    {
      stage: "prod",
      needs: ["passed in dev", "2 approvals from leads (not by the authors)", "a window"],
    },
    { stage: "archive", needs: ["passed in dev and prod"] },
  ])("is described for stage $stage", ({ stage, needs }) => {
    expect(gatesOf(pipeline(), stage)).toEqual(needs);
  });

  test("includes that only declared differences are allowed", () => {
    const pl = pipeline();
    const stages = pl.spec.stages.map((stage) => ({ ...stage, differences: [] }));
    expect(gatesOf({ ...pl, spec: { ...pl.spec, stages } }, "archive")).toContain(
      "only declared differences from dev and prod",
    );
  });

  test("includes gates that are closed now for every commit, and until when", () => {
    const waiting = [
      { gate: "Freeze", message: "Black Friday", until: "2026-11-28T00:00:00Z" },
      { gate: "Approvals", message: "0 of 2" },
    ];
    const status = { stages: [{ name: "dev", phase: "Waiting", waiting }] };
    expect(gatesOf(pipeline(status), "dev")).toEqual(["Freeze: Black Friday (until 2026-11-28T00:00:00Z)"]);
  });
});
