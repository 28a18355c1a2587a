import { expect, test } from "vitest";
import { Approval } from "../../crds/approval.ts";
import { apiVersionOf } from "../../crds/object.ts";
import type { AuditEvent } from "./audit-log.ts";
import { applyObjects } from "./fixture.ts";
import { isWrite, lineOf } from "./operator-user.ts";
import { aPipelineStory, type PipelineStory, vouchForApprovals } from "./pipeline-story.ts";
import { aConfigMapFile } from "./release-story.ts";

/** A promotion that takes longer also reports that it is being proven, and how far each Release is. */
const momentMs = 1_000;
const rounds = 3;

/** What the operator wrote in a part of the story, and how long that took. */
interface Part {
  readonly writes: readonly string[];
  readonly tookMs: number;
}

const countOf = ({ writes }: Part, pattern: RegExp): number =>
  writes.filter((write) => pattern.test(write)).length;

/** Writes from one boundary to the next, in order; a boundary is a moment or the creation of a Promotion. */
function partsOf(events: readonly AuditEvent[], begins: readonly Date[]): ReadonlyMap<string, Part> {
  const parts = new Map<string, { writes: string[]; fromMs: number; tookMs: number }>();
  let current: { writes: string[]; fromMs: number; tookMs: number } | undefined;
  let round = 0;
  const inOrder = events.toSorted((a, b) =>
    a.requestReceivedTimestamp.localeCompare(b.requestReceivedTimestamp),
  );
  for (const event of inOrder) {
    const atMs = Date.parse(event.requestReceivedTimestamp);
    const write = lineOf(event);
    const created = /^patch promotions (\S+) 201$/.exec(write)?.[1];
    const isNewRound = atMs >= (begins[round]?.getTime() ?? Number.POSITIVE_INFINITY);
    if (isNewRound || created !== undefined) {
      if (isNewRound) round += 1;
      current = { writes: [], fromMs: atMs, tookMs: 0 };
      parts.set(created ?? `plan ${round}`, current);
    }
    if (current === undefined) continue;
    current.writes.push(write);
    if (write.startsWith("patch promotions/status")) current.tookMs = atMs - current.fromMs;
  }
  return parts;
}

async function approve({ namespace, untilStage }: PipelineStory, round: number): Promise<void> {
  const { status } = await untilStage("shop", "prod", { phase: "Waiting", waiting: [{ gate: "Approvals" }] });
  const stages = status?.["stages"] as readonly { readonly name: string; readonly next?: object }[];
  const target = stages.find(({ name }) => name === "prod")?.next;
  await applyObjects({
    apiVersion: apiVersionOf(Approval),
    kind: Approval.kind,
    metadata: { name: `approval-${round}`, namespace },
    spec: { pipeline: "shop", stage: "prod", ...target, decision: "Approve", by: "ann", groups: [] },
  });
}

test("a promotion sends one create, one apply for each Release, and two status writes of Pipeline and Promotion", async () => {
  // Given a stage of one Release, one of three, and one that waits for an approval
  const story = await aPipelineStory();
  const { namespace, user } = story;
  await vouchForApprovals(namespace);
  const releases = { dev: ["dev"], staging: ["one", "two", "three"], prod: ["prod"] };
  const push = (version: number): string =>
    story.commit(
      Object.fromEntries(
        Object.values(releases)
          .flat()
          .map((name) => [`shop/${name}/web.json`, aConfigMapFile(`web-${name}`, { version: `${version}` })]),
      ),
    );
  const first = push(0);
  await story.start();
  await story.pipeline("shop", [
    { name: "dev", releases: releases.dev },
    { name: "staging", releases: releases.staging },
    { name: "prod", releases: releases.prod, enter: { approvals: { count: 1 } } },
  ]);
  await approve(story, 0);
  await story.untilStage("shop", "prod", { phase: "Passed", running: { revision: first } });

  // When commits go through all of them
  const begins: Date[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    begins.push(new Date());
    const commit = push(round);
    await story.untilStage("shop", "staging", { phase: "Passed", running: { revision: commit } });
    await approve(story, round);
    await story.untilStage("shop", "prod", { phase: "Passed", running: { revision: commit } });
  }

  // Then each costs what it has to
  const requests = (await user.requests(begins[0])).filter(isWrite);
  const told = requests.filter(({ objectRef }) => !["events", "leases"].includes(objectRef?.resource ?? ""));
  const parts = partsOf(told, begins);
  expect(parts.size).toBe(rounds * (1 + Object.keys(releases).length));
  for (const [name, part] of parts) {
    const isPlan = name.startsWith("plan");
    const [, stage = ""] = name.split("-") as [string, keyof typeof releases | undefined];
    const names = isPlan ? Object.values(releases).flat() : (releases[stage as keyof typeof releases] ?? []);
    const statusWrites = countOf(part, /^patch (pipelines|promotions)\/status/);
    const what = `${name}: ${part.writes.join(", ")}`;
    expect(countOf(part, / 201$/), what).toBe(isPlan ? 0 : 1);
    for (const release of names)
      expect(countOf(part, new RegExp(`^patch releases shop-${release} 200$`)), what).toBe(1);
    expect(countOf(part, /^patch releases /), what).toBe(names.length);
    const isQuick = !isPlan && part.tookMs < momentMs;
    expect(statusWrites, what).toBeLessThanOrEqual(isQuick || isPlan ? 2 : 4 + 2 * names.length);
    // One status of each has the plan, or what was deployed; it is written before that only if that takes long.
    expect(countOf(part, /^patch releases\/status/), what).toBeLessThanOrEqual(
      (isQuick ? 1 : 2) * names.length,
    );
  }
});
