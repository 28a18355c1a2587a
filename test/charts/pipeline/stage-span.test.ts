import { describe, expect, test } from "vitest";
import { spansOfPipeline } from "../../../charts/pipeline/asked-spans.ts";
import { StageHistory, type StartedPromotion } from "../../../charts/pipeline/promotions.ts";
import type { ReleaseView } from "../../../charts/pipeline/release-view.ts";
import type { Stage } from "../../../charts/pipeline/shape.ts";
import { authorsIn, spanOf } from "../../../charts/pipeline/stage-span.ts";
import type { PipelineWorld } from "../../../charts/pipeline/world.ts";
import type { KindSource } from "../../../crds/kind-source.ts";
import { Pipeline, type PipelineResource } from "../../../crds/pipeline.ts";

const [one, two, three] = ["1", "2", "3"].map((digit) => digit.repeat(40)) as [string, string, string];
const stage = { name: "prod", names: new Set(["prod"]), keys: ["shop/a", "shop/b"] } as unknown as Stage;

interface WorldOptions {
  /** Commit of its only Promotion, which has passed unless `isOpen`. */
  readonly promoted?: string;
  readonly isOpen?: boolean;
  /** Commit and stage of each Release. */
  readonly deployed?: readonly (string | undefined)[];
  readonly of?: string;
}

function aWorld({ promoted, isOpen = false, deployed = [], of = "prod" }: WorldOptions): PipelineWorld {
  const spec = { pipeline: "shop", stage: "prod", revision: promoted, digest: "d".repeat(32), number: 1 };
  const outcome = isOpen ? {} : { passedAt: "2026-01-01T00:00:00Z" };
  const promotions = promoted === undefined ? [] : [{ name: "p", spec, isOurs: true, ...outcome }];
  const releases = stage.keys.map((key, index) => {
    const revision = deployed[index];
    return [key, { key, stage: of, ...(revision && { deployed: { revision } }) } as ReleaseView] as const;
  });
  const history = new StageHistory(promotions as unknown as StartedPromotion[], stage);
  return { releases: new Map(releases), histories: new Map([["prod", history]]) } as unknown as PipelineWorld;
}

describe("spanOf()", () => {
  test.for<readonly [what: string, world: WorldOptions, since: string | undefined]>([
    ["the commit of its last Promotion that passed", { promoted: one, deployed: [two, two] }, one],
    [
      "that of its last Promotion, if it runs that",
      { promoted: one, isOpen: true, deployed: [one, one] },
      one,
    ],
    [
      "what it runs, if its Promotion is not applied",
      { promoted: one, isOpen: true, deployed: [two, two] },
      two,
    ],
    ["the first commit, if its Promotion is not applied", { promoted: one, isOpen: true }, undefined],
    ["what all its Releases run, without a Promotion", { deployed: [two, two] }, two],
    ["the first commit, if they run different ones", { deployed: [one, two] }, undefined],
    ["the first commit, if one runs nothing", { deployed: [one] }, undefined],
    ["the first commit, if they run nothing", {}, undefined],
    ["the first commit, if they are of another stage", { deployed: [one, one], of: "dev" }, undefined],
  ])("begins with %s", ([, options, since]) => {
    expect(spanOf(three, { stage, world: aWorld(options) })).toEqual({
      ...(since !== undefined && { since }),
      until: three,
    });
  });
});

describe("authorsIn()", () => {
  const span = { since: one, until: two };
  const head = { id: two, author: "Ann", subject: "", committedAt: "" };
  const ready = { state: "ready", head, changed: head, isAssumed: false, tree: "t" } as const;
  const known = { state: "known", authors: [] } as const;
  test.for<readonly [what: string, source: KindSource | undefined, state: string | undefined]>([
    [
      "returns the answer for exactly this span",
      {
        ...ready,
        spans: [
          { until: two, ...known },
          { ...span, ...known },
        ],
      },
      "known",
    ],
    ["waits for an answer to another beginning", { ...ready, spans: [{ until: two, ...known }] }, "pending"],
    ["waits where nothing was asked", ready, "pending"],
    ["waits for the source", { state: "pending" }, "pending"],
    ["fails with the source", { state: "failed", reason: "SourceNotFound", message: "no branch" }, "failed"],
    ["knows nothing without a source", undefined, undefined],
  ])("%s", ([, source, state]) => {
    expect(authorsIn(source, span)?.state).toBe(state);
  });
});

test("spansOfPipeline() reads no object if no stage excludes authors", () => {
  const unread = () => expect.unreachable("nothing is to be read");
  const state = { observed: { list: unread, find: unread }, record: {}, clock: { reached: () => false } };
  const stages = [{ name: "prod", releases: [{ name: "a" }], enter: { approvals: { count: 1 } } }];
  const spec = Pipeline.spec.parse({ source: { url: "https://git.example.dev/shop" }, stages });
  const metadata = { name: "shop", namespace: "shop" };
  for (const resource of [{ metadata, spec }, { metadata, spec: {} }, { metadata }])
    expect(spansOfPipeline({ ...state, resource: resource as unknown as PipelineResource })).toEqual([]);
});
