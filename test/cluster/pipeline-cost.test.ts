import { expect, test } from "vitest";
import { Approval } from "../../crds/approval.ts";
import { apiVersionOf } from "../../crds/object.ts";
import type { AuditEvent } from "./audit-log.ts";
import { applyObjects } from "./fixture.ts";
import { isWork, lineOf } from "./operator-user.ts";
import { aPipelineHarness, createApprovalPolicy, type PipelineHarness } from "./pipeline-harness.ts";
import { aConfigMapFile, aDeploymentFile } from "./release-harness.ts";

/** The Release of a promotion that takes longer also reports that it is deployed and not healthy yet. */
const momentMs = 1_000;
const rounds = 3;

/** The writes of the operator in a part of the test, and their duration. */
interface Part {
  readonly writes: readonly string[];
  readonly tookMs: number;
}

const countOf = ({ writes }: Part, pattern: RegExp): number =>
  writes.filter((write) => pattern.test(write)).length;

/** Writes from one boundary to the next, in order; a boundary is an instant or the creation of a Promotion. */
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

async function approve({ namespace, untilStage }: PipelineHarness, round: number): Promise<void> {
  const waiting = { phase: "Waiting", waiting: [{ gate: "Approvals" }] };
  const { next: target } = await untilStage("shop", "prod", waiting);
  await applyObjects({
    apiVersion: apiVersionOf(Approval),
    kind: Approval.kind,
    metadata: { name: `approval-${round}`, namespace },
    spec: { pipeline: "shop", stage: "prod", ...target, decision: "Approve", by: "ann", groups: [] },
  });
}

test("a promotion sends one create, one apply for each Release, and two status writes of Pipeline and Promotion", async () => {
  // Given a stage of one Release, one of three, and one that waits for an approval
  const harness = await aPipelineHarness();
  const { namespace, user } = harness;
  await createApprovalPolicy(namespace);
  const releases = { dev: ["dev"], staging: ["one", "two", "three"], prod: ["prod"] };
  const push = (version: number): string =>
    harness.commit(
      Object.fromEntries(
        Object.values(releases)
          .flat()
          .map((name) => [`shop/${name}/web.json`, aConfigMapFile(`web-${name}`, { version: `${version}` })]),
      ),
    );
  const first = push(0);
  await harness.start();
  await harness.pipeline("shop", [
    { name: "dev", releases: releases.dev },
    { name: "staging", releases: releases.staging },
    { name: "prod", releases: releases.prod, enter: { approvals: { count: 1 } } },
  ]);
  await approve(harness, 0);
  await harness.untilStage("shop", "prod", { phase: "Passed", running: { revision: first } });

  // When commits pass all of them
  const begins: Date[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    begins.push(new Date());
    const commit = push(round);
    await harness.untilStage("shop", "staging", { phase: "Passed", running: { revision: commit } });
    await approve(harness, round);
    await harness.untilStage("shop", "prod", { phase: "Passed", running: { revision: commit } });
  }

  // Then each promotion sends the expected requests
  const parts = partsOf((await user.requests(begins[0])).filter(isWork), begins);
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
    // A promotion of more than 20 s would write the approval to the status separately. Each one here is shorter.
    expect(statusWrites, what).toBeLessThanOrEqual(2);
    // One status contains the plan or the deployment. Another one is written before only if that takes long.
    expect(countOf(part, /^patch releases\/status/), what).toBeLessThanOrEqual(
      (isQuick ? 1 : 2) * names.length,
    );
  }
});

/** A Deployment whose pods count as available after some time. */
function aSlowDeploymentFile(name: string, version: number, minReadySeconds: number): object {
  const file = aDeploymentFile(name, `example.dev/web:${version}`) as { readonly spec: object };
  return { ...file, spec: { ...file.spec, replicas: 1, minReadySeconds } };
}

test("soaks and slow rollouts send two status writes of Pipeline and Promotion for each promotion", async () => {
  // Given stages that soak, and one of three Releases whose pods become ready one after another
  const harness = await aPipelineHarness();
  const slow = { one: 3, two: 4, three: 5 };
  const push = (version: number): string =>
    harness.commit({
      ...Object.fromEntries(
        ["dev", "prod"].map((name) => [
          `shop/${name}/web.json`,
          aConfigMapFile(`web-${name}`, { version: `${version}` }),
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(slow).map(([name, seconds]) => [
          `shop/${name}/web.json`,
          aSlowDeploymentFile(`web-${name}`, version, seconds),
        ]),
      ),
    });
  const first = push(0);
  await harness.start();
  const pass = { soak: "4s" };
  await harness.pipeline("shop", [
    { name: "dev", releases: ["dev"], pass },
    { name: "staging", releases: Object.keys(slow) },
    { name: "prod", releases: ["prod"], pass },
  ]);
  await harness.untilStage("shop", "prod", { phase: "Passed", running: { revision: first } });

  // When commits pass all of them
  const begin = new Date();
  for (let round = 1; round <= rounds; round += 1) {
    const commit = push(round);
    await harness.untilStage("shop", "dev", { phase: "Proving", promotion: { revision: commit } });
    await harness.untilStage("shop", "prod", { phase: "Passed", running: { revision: commit } });
  }

  // Then each Promotion has one status, and the Pipeline one for each outcome, and two for each commit
  const writes = await harness.writes(begin);
  const statusesOf = (plural: string) => writes.filter((line) => line.startsWith(`patch ${plural}/status `));
  expect(statusesOf("promotions"), writes.join("\n")).toHaveLength(3 * rounds);
  expect(statusesOf("pipelines").length, writes.join("\n")).toBeLessThanOrEqual((2 + 3) * rounds);
  expect(writes.filter((line) => / promotions \S+ 201$/.test(line))).toHaveLength(3 * rounds);
});
