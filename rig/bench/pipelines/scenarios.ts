import { setTimeout as sleep } from "node:timers/promises";
import { AuditedCalls } from "../releases/audited-calls.ts";
import { type ProcessUse, watchProcesses } from "../releases/process-tree.ts";
import type { ReleaseRig } from "../releases/release-rig.ts";
import { difference, imageIn, rendersOf } from "../releases/scenarios.ts";
import { namespaceOf } from "../releases/set-files.ts";
import { isReady, type LiveObject, WatchedObjects } from "../releases/watched-objects.ts";
import type { GitFolder } from "../tenants/git-folder.ts";
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
  approvalPolicy,
  aRelease,
  filesOf,
  imageOf,
  pipelineKey,
  pipelineName,
  releaseKey,
  releaseName,
  stageNames,
} from "./pipeline-files.ts";

const group = "/apis/fairlead.dev/v1alpha1";
const admission = "/apis/admissionregistration.k8s.io/v1";
/** Longer than any work that an edit leaves behind; then the audit log is read. */
const settleMs = 5_000;
const longestFillMs = 3_600_000;
const longestMs = 120_000;

export interface Scene {
  readonly rig: ReleaseRig;
  readonly repository: GitFolder;
  readonly pipelines: WatchedObjects;
  readonly deployments: WatchedObjects;
  readonly count: number;
}

export type Counts = ReadonlyMap<string, number>;

export interface FillResult {
  /** From the first object that was accepted until every stage of the last Pipeline had passed. */
  readonly readyMs: number;
  readonly use: ProcessUse;
  readonly requests: Counts;
}

export interface IdleResult {
  readonly seconds: number;
  readonly use: ProcessUse;
  readonly requests: Counts;
}

export interface PushResult {
  /** From just before `git push` until the watch showed the Deployment of dev. */
  readonly liveMs: readonly number[];
  /** Until prod had passed. */
  readonly prodMs: readonly number[];
  readonly requests: Counts;
  /** Of these, those about other Pipelines and what belongs to them. */
  readonly others: Counts;
  readonly renders: number | undefined;
  /** For the raw results: when each push began, in milliseconds since 1970, and what followed. */
  readonly pushes: readonly { readonly startedAtMs: number; readonly requests: readonly AuditedRequest[] }[];
}

export interface GateResult {
  readonly times: readonly PromotionTimes[];
}

export async function openScene(
  rig: ReleaseRig,
  { repository, count, signal }: Pick<Scene, "repository" | "count"> & { readonly signal: AbortSignal },
): Promise<Scene> {
  // A new kind is served a moment later.
  while ((await rig.api.send("GET", `${group}/pipelines`, undefined, [404, 429])) !== 200) await sleep(100);
  const [pipelines, deployments] = await Promise.all(
    [`${group}/pipelines`, "/apis/apps/v1/deployments"].map((path) =>
      WatchedObjects.open(rig.api, path, signal),
    ),
  );
  if (pipelines === undefined || deployments === undefined) throw new Error("Cannot watch");
  return { rig, repository, pipelines, deployments, count };
}

interface StageSeen {
  readonly name: string;
  readonly phase: string;
  readonly running?: { readonly revision?: string };
  readonly next?: { readonly revision: string; readonly digest: string };
  readonly waiting?: readonly { readonly gate: string }[];
}

const stagesOf = (pipeline: LiveObject | undefined): readonly StageSeen[] =>
  (pipeline?.status as { readonly stages?: readonly StageSeen[] } | undefined)?.stages ?? [];

/** All stages have passed, and run one commit. */
function isThrough(pipeline: LiveObject | undefined): boolean {
  const stages = stagesOf(pipeline);
  const revisions = new Set(stages.map(({ running }) => running?.revision));
  const havePassed = stages.length === stageNames.length && stages.every(({ phase }) => phase === "Passed");
  return pipeline !== undefined && havePassed && revisions.size === 1 && isReady(pipeline);
}

/** All Pipelines with their Releases, by 8 creators. */
export async function fill({ rig, repository, pipelines, count }: Scene): Promise<FillResult> {
  const { api, auditLogPath, operatorPid } = rig;
  await repository.push(
    Object.assign({}, ...Array.from({ length: count }, (_, index) => filesOf(index, "v1"))),
  );
  const [policy = {}, binding = {}] = approvalPolicy;
  await api.apply(`${admission}/validatingadmissionpolicies/bench-approvals`, policy);
  await api.apply(`${admission}/validatingadmissionpolicybindings/bench-approvals`, binding);
  const audit = await AuditedCalls.begin(auditLogPath);
  const stopLooking = watchProcesses(operatorPid);
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const startMs = performance.now();
  const create = async (): Promise<void> => {
    for (const index of numbers) {
      const place = `${group}/namespaces/${namespaceOf(index)}`;
      for (const stage of stageNames)
        await api.apply(
          `${place}/releases/${releaseName(index, stage)}`,
          aRelease(index, stage, repository.url),
        );
      await api.apply(`${place}/pipelines/${pipelineName(index)}`, aPipeline(index, repository.url));
    }
  };
  await Promise.all(Array.from({ length: 8 }, create));
  let first = 0;
  const areThrough = (): boolean => {
    while (first < count && isThrough(pipelines.get(pipelineKey(first)))) first += 1;
    return first === count;
  };
  try {
    const doneMs = await pipelines.until("all Pipelines are through", areThrough, longestFillMs);
    await sleep(settleMs);
    return {
      readyMs: doneMs - startMs,
      use: stopLooking(),
      requests: countRequests(readRequests(await audit.takeLines())),
    };
  } catch (error) {
    const key = pipelineKey(first);
    const why = JSON.stringify(pipelines.get(key)?.status?.conditions)?.slice(0, 1_000);
    throw new Error(`${first} of ${count} Pipelines are through; ${key}: ${why}`, { cause: error });
  }
}

/** Nothing happens. */
export async function idle({ rig }: Scene, seconds: number): Promise<IdleResult> {
  const audit = await AuditedCalls.begin(rig.auditLogPath);
  const stopLooking = watchProcesses(rig.operatorPid);
  await sleep(1_000 * seconds);
  const use = stopLooking();
  return { seconds, use, requests: countRequests(readRequests(await audit.takeLines())) };
}

/** A push to one Pipeline after the other, each reported to the operator by its hook. */
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
  const startMs = performance.now();
  await repository.push(filesOf(index, version));
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

/** The last gate of prod opens: an Approval of what waits there. */
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
    // Nothing of the stages before is on its way.
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
