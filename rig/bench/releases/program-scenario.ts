import { setTimeout as sleep } from "node:timers/promises";
import { AuditedCalls, type Calls } from "./audited-calls.ts";
import { measureProcesses, type ProcessUse } from "./process-tree.ts";
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
  /** Number of bundles in the operator's metrics, for the fill and after the push. */
  readonly bundles: readonly (number | undefined)[];
  /** Duration of the render without a running process of the program: for the fill, before which bad programs may have run, and
   * after the push. */
  readonly firstRenderMs: readonly (number | undefined)[];
  /** Mean of the other renders: if all are requested at once, and if the inputs of one Release after the other change. */
  readonly warmTogetherMs: number | undefined;
  readonly warmAloneMs: number | undefined;
}

const settleMs = 4_000;
/** Releases whose inputs are changed one after the other, and the pause between them. */
const alone = 20;
const pauseMs = 200;
const bundles = "fairlead_release_bundles_total";
/** The namespace of the tenant. Namespaces do not share bundles, results and processes. */
const namespace = namespaceOf(0);
const nameOf = (index: number): string => `program-${String(index).padStart(4, "0")}`;

/** Measures many Releases of one program with different inputs. */
export async function runPrograms(
  rig: ReleaseRig,
  releases: WatchedObjects,
  { programs, signal }: { readonly programs: number; readonly signal: AbortSignal },
): Promise<ProgramResult> {
  const { source, operatorPid, auditLogPath } = rig;
  const configMaps = await WatchedObjects.open(rig.api, "/api/v1/configmaps", signal);
  const audit = await AuditedCalls.begin(auditLogPath);
  const stopMeasuring = measureProcesses(operatorPid);
  const before = await rig.metrics();
  const startMs = performance.now();
  const apply = async (index: number, note: string): Promise<void> => {
    const name = nameOf(index);
    const render = { program: { inputs: { name, note } } };
    const release = aRelease({ url: source.url, name, namespace, path: "program", render });
    await rig.api.apply(`/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/releases/${name}`, release);
  };
  for (let index = 0; index < programs; index += 1) await apply(index, "filled");
  const keys = Array.from({ length: programs }, (_, index) => `${namespace}/${nameOf(index)}`);
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
  const pushed = await rig.metrics();
  const use = stopMeasuring();
  for (let index = 0; index < Math.min(programs, alone); index += 1) {
    await apply(index, "edited");
    const key = `${keys[index]}-three`;
    await configMaps.until(`${key} is edited`, () => configMaps.get(key)?.data?.["note"] === "edited");
    await sleep(pauseMs);
  }
  const edited = await rig.metrics();
  return {
    ...{ readyMs, pushMs, calls, use },
    bundles: [
      difference(before.get(bundles), filled.get(bundles)),
      difference(filled.get(bundles), pushed.get(bundles)),
    ],
    firstRenderMs: [meanMs("first", before, filled), meanMs("first", filled, pushed)],
    warmTogetherMs: meanMs("warm", before, pushed),
    warmAloneMs: meanMs("warm", pushed, edited),
  };
}

type Metrics = ReadonlyMap<string, number>;

/** Mean duration of the renders between two reads of the metrics; undefined: there was none. */
function meanMs(which: "first" | "warm", before: Metrics, after: Metrics): number | undefined {
  const name = `fairlead_release_program_${which}_render_duration_seconds`;
  const [sum = 0, count = 0] = ["sum", "count"].map((end) =>
    difference(before.get(`${name}_${end}`) ?? 0, after.get(`${name}_${end}`)),
  );
  return count === 0 ? undefined : (1_000 * sum) / count;
}
