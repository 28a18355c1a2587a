import { setTimeout as sleep } from "node:timers/promises";
import { AuditedCalls } from "../releases/audited-calls.ts";
import { measureProcesses, type ProcessUse } from "../releases/process-tree.ts";
import { difference, imageIn, rendersOf } from "../releases/scenarios.ts";
import { namespaceOf } from "../releases/set-files.ts";
import {
  type AuditedRequest,
  countRequests,
  type PromotionTimes,
  readRequests,
  timesAfterApproval,
} from "./audited-requests.ts";
import {
  anApproval,
  aPipeline,
  filesOf,
  imageOf,
  pipelineKey,
  pipelineName,
  releaseKey,
  releaseName,
} from "./pipeline-files.ts";
import { group, isThrough, type Scene, type StageSeen, settleMs, stagesOf } from "./scene.ts";

const longestMs = 120_000;

export type Counts = ReadonlyMap<string, number>;

export interface IdleResult {
  readonly seconds: number;
  readonly use: ProcessUse;
  readonly requests: Counts;
}

export interface PushResult {
  /** From the start of `git push` until the watch event of dev's Deployment. */
  readonly liveMs: readonly number[];
  /** Until prod had passed. */
  readonly prodMs: readonly number[];
  readonly requests: Counts;
  /** The part of them that is about other Pipelines and their objects. */
  readonly others: Counts;
  readonly renders: number | undefined;
  /** For the raw results: the start of each push, in milliseconds since 1970, and the requests after it. */
  readonly pushes: readonly { readonly startedAtMs: number; readonly requests: readonly AuditedRequest[] }[];
}

export interface GateResult {
  readonly times: readonly PromotionTimes[];
}

/** Measures the operator without any change. */
export async function idle({ rig }: Scene, seconds: number): Promise<IdleResult> {
  const audit = await AuditedCalls.begin(rig.auditLogPath);
  const stopMeasuring = measureProcesses(rig.operatorPid);
  await sleep(1_000 * seconds);
  const use = stopMeasuring();
  return { seconds, use, requests: countRequests(readRequests(await audit.takeLines())) };
}

/** Pushes to one Pipeline after the other. The hook reports each push to the operator. */
export async function push(scene: Scene, pushes: number): Promise<PushResult> {
  const { rig, count } = scene;
  const audit = await AuditedCalls.begin(rig.auditLogPath);
  const renders = await rendersOf(rig);
  const [liveMs, prodMs]: [number[], number[]] = [[], []];
  const [requests, others]: [AuditedRequest[], AuditedRequest[]] = [[], []];
  const each: PushResult["pushes"][number][] = [];
  for (let number = 0; number < pushes; number += 1) {
    const index = (number * 37) % count;
    const startedAtMs = Date.now();
    const took = await pushOne(scene, { index, version: `p${number}` });
    liveMs.push(took.liveMs);
    prodMs.push(took.prodMs);
    await sleep(settleMs);
    const asked = readRequests(await audit.takeLines()).filter(({ user }) => user === "operator");
    requests.push(...asked);
    each.push({ startedAtMs, requests: asked });
    others.push(...asked.filter(({ name }) => !name.startsWith(pipelineName(index))));
  }
  return {
    ...{ liveMs, prodMs, requests: countRequests(requests), others: countRequests(others) },
    renders: difference(renders, await rendersOf(rig)),
    pushes: each,
  };
}

async function pushOne(
  { rig, repository, pipelines, deployments }: Scene,
  { index, version }: { readonly index: number; readonly version: string },
): Promise<{ readonly liveMs: number; readonly prodMs: number }> {
  await repository.commit(filesOf(index, version));
  const startMs = performance.now();
  await repository.pushCommits();
  const called = rig.callHook(repository.url);
  const runs = (stage: "dev" | "prod"): boolean =>
    imageIn(deployments.get(releaseKey(index, stage))) === imageOf(version);
  const devMs = await deployments.until(`${version} is live in dev`, () => runs("dev"), longestMs);
  await deployments.until(`${version} is live in prod`, () => runs("prod"), longestMs);
  const isDone = (): boolean => isThrough(pipelines.get(pipelineKey(index)));
  const doneMs = await pipelines.until(`${version} is through`, isDone, longestMs);
  await called;
  return { liveMs: devMs - startMs, prodMs: doneMs - startMs };
}

/** Opens the last gate of prod with an Approval of the waiting candidate. */
export async function openGates(scene: Scene, repetitions: number): Promise<GateResult> {
  const { rig, repository, pipelines } = scene;
  const index = 0;
  const place = `${group}/namespaces/${namespaceOf(index)}`;
  await rig.api.apply(
    `${place}/pipelines/${pipelineName(index)}`,
    aPipeline(index, repository.url, { isApproved: true }),
  );
  await sleep(settleMs);
  const times: PromotionTimes[] = [];
  for (let number = 0; number < repetitions; number += 1) {
    await repository.push(filesOf(index, `g${number}`));
    await rig.callHook(repository.url);
    const waiting = (): StageSeen | undefined =>
      stagesOf(pipelines.get(pipelineKey(index))).find(
        (stage) => stage.name === "prod" && stage.waiting?.every(({ gate }) => gate === "Approvals") === true,
      );
    await pipelines.until("prod waits for an approval", () => waiting()?.next !== undefined, longestMs);
    const target = waiting()?.next;
    if (target === undefined) throw new Error("Prod no longer waits");
    // Wait until the work of the earlier stages is done.
    await sleep(settleMs);
    const audit = await AuditedCalls.begin(rig.auditLogPath);
    const name = `approval-${number}`;
    await rig.api.send("POST", `${place}/approvals`, anApproval(index, { name, target }));
    const isDone = (): boolean => isThrough(pipelines.get(pipelineKey(index)));
    await pipelines.until("prod has passed", isDone, longestMs);
    await sleep(settleMs);
    const found = timesAfterApproval(readRequests(await audit.takeLines()), {
      approval: name,
      release: releaseName(index, "prod"),
    });
    if (found === undefined) throw new Error("The Approval is not in the audit log");
    times.push(found);
  }
  return { times };
}
