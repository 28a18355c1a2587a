import { setTimeout as sleep } from "node:timers/promises";
import { AuditedCalls, type Calls } from "./audited-calls.ts";
import { type BadName, badFileOf } from "./bad-releases.ts";
import { measureProcesses, type ProcessUse } from "./process-tree.ts";
import type { ReleaseRig } from "./release-rig.ts";
import { aRelease, imageOf, namespaceOf, setName } from "./set-files.ts";
import { isReady, type LiveObject, WatchedObjects } from "./watched-objects.ts";

export const releasesPath = "/apis/fairlead.dev/v1alpha1/releases";
const deploymentsPath = "/apis/apps/v1/deployments";

/** Longer than any work that an edit leaves behind; then the audit log is read. */
const settleMs = 4_000;

export interface FillResult {
  /** From the first Release that was accepted until the last one was Ready. */
  readonly readyMs: number;
  readonly use: ProcessUse;
  readonly calls: Calls;
}

export interface PushResult {
  /** From just before `git add`, `git commit` and `git push` until the watch showed the Deployment. */
  readonly liveMs: readonly number[];
  /** Until the Release said Ready for it. */
  readonly readyMs: readonly number[];
  readonly calls: Calls;
  readonly renders: number | undefined;
}

export interface PollResult {
  readonly calls: Calls;
  readonly renders: number | undefined;
}

export interface EditResult {
  /** From the answer to a user's edit until the watch showed its reversal. */
  readonly backMs: readonly number[];
  readonly calls: Calls;
}

export interface Watches {
  readonly releases: WatchedObjects;
  readonly deployments: WatchedObjects;
}

export async function openWatches({ api }: ReleaseRig, signal: AbortSignal): Promise<Watches> {
  const [releases, deployments] = await Promise.all(
    [releasesPath, deploymentsPath].map((path) => WatchedObjects.open(api, path, signal)),
  );
  if (releases === undefined || deployments === undefined) throw new Error("Cannot watch");
  return { releases, deployments };
}

const keyOf = (index: number): string => `${namespaceOf(index)}/${setName(index)}`;

/** All sets at once, by 8 creators. */
export async function fill(rig: ReleaseRig, watches: Watches, sets: number): Promise<FillResult> {
  const { api, auditLogPath, operatorPid, source } = rig;
  const audit = await AuditedCalls.begin(auditLogPath);
  const stopMeasuring = measureProcesses(operatorPid);
  const numbers = Array.from({ length: sets }, (_, index) => index).values();
  let firstMs = Number.POSITIVE_INFINITY;
  const create = async (): Promise<void> => {
    for (const index of numbers) {
      const [name, namespace] = [setName(index), namespaceOf(index)];
      const path = `sets/${name}`;
      const release = aRelease({ url: source.url, name, namespace, path, render: { manifests: {} } });
      await api.apply(`/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/releases/${name}`, release);
      firstMs = Math.min(firstMs, performance.now());
    }
  };
  await Promise.all(Array.from({ length: 8 }, create));
  const doneMs = await untilAllReady(watches.releases, sets);
  await sleep(settleMs);
  return { readyMs: doneMs - firstMs, use: stopMeasuring(), calls: await audit.take() };
}

async function untilAllReady(releases: WatchedObjects, count: number): Promise<number> {
  const readyOf = (): number => releases.objects.values().filter(isReady).toArray().length;
  const isOne = (index: number): boolean => {
    const release = releases.get(keyOf(index));
    return release !== undefined && isReady(release);
  };
  // All of them are checked at the end only, because checks would use the processor during the measurement.
  let first = 0;
  const areAll = (): boolean => {
    while (first < count && isOne(first)) first += 1;
    return first === count && readyOf() >= count;
  };
  try {
    return await releases.until("all Releases are Ready", areAll);
  } catch (error) {
    const bad = releases.objects.values().find((one) => !isReady(one));
    const why = JSON.stringify(bad?.status?.conditions)?.slice(0, 500);
    throw new Error(`${readyOf()} of ${count} Releases are Ready; ${bad?.metadata.name}: ${why}`, {
      cause: error,
    });
  }
}

export interface PushOptions {
  readonly sets: number;
  readonly pushes: number;
  /** Makes these images other ones than those of other series. */
  readonly tag?: string;
  /** A bad Release whose folder each push changes, too. */
  readonly beside?: BadName;
}

/** A push to one folder after the other, each reported to the operator by its hook. */
export async function push(
  rig: ReleaseRig,
  { releases, deployments }: Watches,
  { sets, pushes, tag = "v", beside }: PushOptions,
): Promise<PushResult> {
  const audit = await AuditedCalls.begin(rig.auditLogPath);
  const renders = await rendersOf(rig);
  const liveMs: number[] = [];
  const readyMs: number[] = [];
  for (let count = 0; count < pushes; count += 1) {
    const index = (count * 37) % sets;
    const version = `${tag}${2 + count}`;
    const before = releases.get(keyOf(index))?.status?.revision;
    const startMs = performance.now();
    await rig.source.pushSet(index, version, beside && badFileOf(beside, 1 + count));
    const called = rig.callHook();
    const isLive = (): boolean => imageIn(deployments.get(keyOf(index))) === imageOf(version);
    liveMs.push((await deployments.until(`push ${count} is live`, isLive, 60_000)) - startMs);
    const isReported = (): boolean => {
      const release = releases.get(keyOf(index));
      return release !== undefined && release.status?.revision !== before && isReady(release);
    };
    readyMs.push((await releases.until(`push ${count} is Ready`, isReported, 60_000)) - startMs);
    await called;
    // The next one is not a neighbour of this one.
    await sleep(300);
  }
  await sleep(settleMs);
  return { liveMs, readyMs, calls: await audit.take(), renders: difference(renders, await rendersOf(rig)) };
}

/** The image of a Deployment's first container. */
export function imageIn(deployment: LiveObject | undefined): string | undefined {
  type Template = { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } };
  return (deployment?.spec?.["template"] as Template | undefined)?.spec?.containers?.[0]?.image;
}

/** A user requests a poll of the remote, which has nothing new. */
export async function pollAll(rig: ReleaseRig): Promise<PollResult> {
  const audit = await AuditedCalls.begin(rig.auditLogPath);
  const renders = await rendersOf(rig);
  await rig.callHook();
  await sleep(2 * settleMs);
  return { calls: await audit.take(), renders: difference(renders, await rendersOf(rig)) };
}

/** A user scales one Deployment after the other. */
export async function editLive(
  rig: ReleaseRig,
  { deployments }: Watches,
  { sets, edits }: { readonly sets: number; readonly edits: number },
): Promise<EditResult> {
  const audit = await AuditedCalls.begin(rig.auditLogPath);
  const backMs: number[] = [];
  for (let count = 0; count < edits; count += 1) {
    const index = (count * 53 + 1) % sets;
    const path = `/apis/apps/v1/namespaces/${namespaceOf(index)}/deployments/${setName(index)}`;
    const generation = deployments.get(keyOf(index))?.metadata.generation ?? 0;
    await rig.api.send("PATCH", path, { spec: { replicas: 1 } });
    const startMs = performance.now();
    const isBack = (): boolean => {
      const live = deployments.get(keyOf(index));
      return (live?.metadata.generation ?? 0) >= generation + 2 && live?.spec?.["replicas"] === 0;
    };
    backMs.push((await deployments.until(`edit ${count} is undone`, isBack, 60_000)) - startMs);
    await sleep(300);
  }
  await sleep(settleMs);
  return { backMs, calls: await audit.take() };
}

/** The number of renders in the operator's metrics; undefined: they do not contain it. */
export async function rendersOf(rig: ReleaseRig): Promise<number | undefined> {
  return (await rig.metrics()).get("fairlead_release_renders_total");
}

export function difference(before: number | undefined, after: number | undefined): number | undefined {
  return after === undefined ? undefined : after - (before ?? 0);
}
