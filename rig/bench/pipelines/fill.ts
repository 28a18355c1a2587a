import { setTimeout as sleep } from "node:timers/promises";
import type { BenchApi } from "../load/bench-api.ts";
import { AuditedCalls } from "../releases/audited-calls.ts";
import { measureProcesses, type ProcessUse } from "../releases/process-tree.ts";
import { namespaceOf } from "../releases/set-files.ts";
import { countRequests, readRequests } from "./audited-requests.ts";
import {
  aPipeline,
  approvalPolicy,
  aRelease,
  filesOf,
  pipelineKey,
  pipelineName,
  releaseName,
  stageNames,
} from "./pipeline-files.ts";
import { group, isThrough, type Scene, settleMs } from "./scene.ts";

const admission = "/apis/admissionregistration.k8s.io/v1";
const longestFillMs = 3_600_000;
const mostAttempts = 20;

export interface FillResult {
  /** From the first accepted object until every stage of the last Pipeline had passed. */
  readonly readyMs: number;
  readonly use: ProcessUse;
  readonly requests: ReadonlyMap<string, number>;
}

/** Creates all Pipelines with their Releases, 8 at a time. */
export async function fill({ rig, repository, pipelines, count }: Scene): Promise<FillResult> {
  const { api, auditLogPath, operatorPid } = rig;
  await repository.push(
    Object.assign({}, ...Array.from({ length: count }, (_, index) => filesOf(index, "v1"))),
  );
  const [policy = {}, binding = {}] = approvalPolicy;
  await api.apply(`${admission}/validatingadmissionpolicies/bench-approvals`, policy);
  await api.apply(`${admission}/validatingadmissionpolicybindings/bench-approvals`, binding);
  const audit = await AuditedCalls.begin(auditLogPath);
  const stopMeasuring = measureProcesses(operatorPid);
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const startMs = performance.now();
  const create = async (): Promise<void> => {
    for (const index of numbers) {
      const place = `${group}/namespaces/${namespaceOf(index)}`;
      for (const stage of stageNames)
        await applyPatiently(
          api,
          `${place}/releases/${releaseName(index, stage)}`,
          aRelease(index, stage, repository.url),
        );
      await applyPatiently(
        api,
        `${place}/pipelines/${pipelineName(index)}`,
        aPipeline(index, repository.url),
      );
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
      use: stopMeasuring(),
      requests: countRequests(readRequests(await audit.takeLines())),
    };
  } catch (error) {
    const key = pipelineKey(first);
    const why = JSON.stringify(pipelines.get(key)?.status?.conditions)?.slice(0, 1_000);
    throw new Error(`${first} of ${count} Pipelines have passed; ${key}: ${why}`, { cause: error });
  }
}

/** Applies an object. Retries while the API server is too busy to respond in time. */
async function applyPatiently(api: BenchApi, path: string, object: object): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await api.apply(path, object);
      return;
    } catch (error) {
      if (attempt === mostAttempts || !/: 50[34] /.test(String(error))) throw error;
      await sleep(1_000);
    }
  }
}
