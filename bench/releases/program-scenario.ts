import { setTimeout as sleep } from "node:timers/promises";
import { AuditedCalls, type Calls } from "./audited-calls.ts";
import { type ProcessUse, watchProcesses } from "./process-tree.ts";
import type { ReleaseRig } from "./release-rig.ts";
import { difference } from "./scenarios.ts";
import { aRelease, namespaceOf } from "./set-files.ts";
import { isReady, WatchedObjects } from "./watched-objects.ts";

export interface ProgramResult {
  readonly readyMs: number;
  /** From a push of the program until every Release was Ready for it. */
  readonly pushMs: number;
  readonly use: ProcessUse;
  readonly calls: Calls;
  /** Bundles that were made, by the operator's metrics, while filling and after the push. */
  readonly bundles: readonly (number | undefined)[];
  /** Mean milliseconds of the renders that had to start a program, and of the others. */
  readonly firstRenderMs: number | undefined;
  readonly warmRenderMs: number | undefined;
}

const settleMs = 4_000;
const nameOf = (index: number): string => `program-${String(index).padStart(4, "0")}`;

/** One program, many Releases of it with inputs of their own. */
export async function runPrograms(
  rig: ReleaseRig,
  releases: WatchedObjects,
  { programs, signal }: { readonly programs: number; readonly signal: AbortSignal },
): Promise<ProgramResult> {
  const { api, source, operatorPid, auditLogPath } = rig;
  const configMaps = await WatchedObjects.open(api, "/api/v1/configmaps", signal);
  const audit = await AuditedCalls.begin(auditLogPath);
  const stopLooking = watchProcesses(operatorPid);
  const before = await rig.metrics();
  const startMs = performance.now();
  for (let index = 0; index < programs; index += 1) {
    const [name, namespace] = [nameOf(index), namespaceOf(index)];
    const render = { program: { inputs: { name } } };
    const release = aRelease({ url: source.url, name, namespace, path: "program", render });
    await api.apply(`/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/releases/${name}`, release);
  }
  const keys = Array.from({ length: programs }, (_, index) => `${namespaceOf(index)}/${nameOf(index)}`);
  const areReady = (version: number): boolean =>
    keys.every((key) => {
      const release = releases.get(key);
      const isApplied = configMaps.get(`${key}-three`)?.data?.["version"] === String(version);
      return isApplied && release !== undefined && isReady(release);
    });
  const readyMs = (await releases.until("all programs are Ready", () => areReady(1))) - startMs;
  await sleep(settleMs);
  const calls = await audit.take();
  const filled = await rig.metrics();
  const pushedMs = performance.now();
  await source.pushProgram(2);
  await rig.callHook();
  const pushMs = (await releases.until("the push is Ready everywhere", () => areReady(2))) - pushedMs;
  const after = await rig.metrics();
  const bundles = "fairlead_release_bundles_total";
  return {
    ...{ readyMs, pushMs, calls, use: stopLooking() },
    bundles: [
      difference(before.get(bundles), filled.get(bundles)),
      difference(filled.get(bundles), after.get(bundles)),
    ],
    firstRenderMs: meanMs(after, "fairlead_release_program_first_render_duration_seconds"),
    warmRenderMs: meanMs(after, "fairlead_release_program_warm_render_duration_seconds"),
  };
}

function meanMs(metrics: ReadonlyMap<string, number>, name: string): number | undefined {
  const [sum, count] = [metrics.get(`${name}_sum`), metrics.get(`${name}_count`)];
  return sum === undefined || count === undefined || count === 0 ? undefined : (1_000 * sum) / count;
}
