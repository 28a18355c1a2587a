import type { CustomResource, LiveObject } from "../../crds/object.ts";
import { Release, type ReleaseResource, releaseAnnotations } from "../../crds/release.ts";
import { toLiveObject } from "../../operator/cluster/live-object.ts";
import {
  allowsDependents,
  assessDependency,
  dependenciesOf,
  describeHidden,
} from "../../operator/desire/release/depends-on.ts";
import { pinOf } from "../../operator/desire/release/pipeline-pin.ts";
import { prepareManifests } from "../../operator/desire/release/prepare-manifests.ts";
import { decideDeletion, decidePrune } from "../../operator/engine/decide-prune.ts";
import type { OwnedObject } from "../../operator/engine/desired-set.ts";
import type { ShapeOf } from "../../operator/engine/field-shape.ts";
import { createHealthChecks } from "../../operator/engine/health/health-checks.ts";
import { explainPrune } from "../../operator/engine/reasons.ts";
import { SourceError } from "../../operator/errors.ts";
import { setOf } from "../../synth/stamp.ts";
import { WeakSandboxError } from "../launcher/weak-sandbox.ts";
import { dryCluster } from "../release/diff/diff-release.ts";
import { findOwned } from "../release/diff/find-owned.ts";
import { type RenderedRelease, renderRelease } from "../release/diff/render-release.ts";
import { describeNext } from "../release/next-text.ts";
import { readKinds } from "../release/read-kinds.ts";
import type { ReleaseSession } from "../release/release-command.ts";
import {
  conditionOf,
  historyOf,
  labelOfRelease,
  type ReleaseObject,
  shortCommit,
} from "../release/release-object.ts";
import { describeRelease } from "../release/state-line.ts";
import { addHeldPrune } from "./held-prune.ts";
import { describeMissingRight, isForbidden } from "./missing-rights.ts";
import { readConditions } from "./read-conditions.ts";
import { recompute } from "./recompute.ts";
import type { PasteableCommands } from "./remedies.ts";
import type { Wait, WhyReport } from "./why-report.ts";

/** Maximum interval between two attempts for a Release. */
const retryCapMs = 60_000;

export interface WhyReleaseOptions {
  readonly session: ReleaseSession;
  readonly shapeOf: ShapeOf;
  readonly commands: PasteableCommands;
  /** The command that explains another Release. */
  readonly explainOther: (place: { readonly namespace: string; readonly name: string }) => string;
  readonly nowMs: number;
  readonly timeoutMs: number;
  readonly weakSandbox: boolean;
}

/** Explains the desired state of a Release, and what the operator waits for. */
export async function whyRelease(release: ReleaseObject, options: WhyReleaseOptions): Promise<WhyReport> {
  const { commands, nowMs } = options;
  const { metadata, spec } = release;
  const said = readConditions(release, {
    ...{ kind: "release", name: metadata.name, namespace: metadata.namespace },
    ...{ interval: spec.interval, timeout: spec.timeout, nowMs, retryCapMs, commands },
  });
  const report: WhyReport = {
    title: describeRelease(release),
    wants: undefined,
    waits: said.waits,
    changed: [...said.changed, ...describeCommits(release)],
    next: said.next,
    unknown: [],
  };
  if (metadata.deletionTimestamp !== undefined) return await whyLeaving(release, report, options);
  // Nothing is read for a Release that is suspended, or that is not allowed.
  const refusal = conditionOf(release, "Applied")?.reason;
  const isUnread = ["PinPending", "PolicyRefused", "SpecInvalid"].includes(refusal ?? "");
  if (spec.suspend || isUnread) return report;
  const dependencies = await findDependencies(release, options);
  const known = { ...report, unknown: dependencies.unknown };
  let rendered: RenderedRelease;
  try {
    rendered = await renderRelease(release, {
      ...{ client: options.session.client, folder: undefined, revision: pinOf(release) },
      ...{ timeoutMs: options.timeoutMs, weakSandbox: options.weakSandbox },
    });
  } catch (error) {
    return addDependencies(withoutSource(error, release, known), dependencies, { isHeld: true });
  }
  return await whyRendered(release, { report: known, rendered, dependencies }, options);
}

interface Found {
  readonly report: WhyReport;
  readonly rendered: RenderedRelease;
  readonly dependencies: Dependencies;
}

async function whyRendered(
  release: ReleaseObject,
  { report, rendered: { rendered, commits }, dependencies }: Found,
  { session, shapeOf, nowMs, commands }: WhyReleaseOptions,
): Promise<WhyReport> {
  const { client, transport } = session;
  const kinds = await readKinds(transport);
  const resource = toLiveObject(release) as CustomResource<ReleaseObject["spec"], ReleaseObject["status"]>;
  const prepared = prepareManifests(rendered, resource, kinds);
  const checks = createHealthChecks();
  const { finished, deployed, waves } = release.status?.inventory ?? {};
  const { steps, next, unknown, unread } = await recompute({
    ...{ resource, desired: prepared, cluster: dryCluster(session), shapeOf, finished, commands },
    assess: (live) => checks.assess(live, release.spec.healthChecks, { nowMs }),
  });
  const whole: WhyReport = {
    ...report,
    wants: { objects: prepared.objects.length, steps, unread, surplus: [] },
    next: [...next, ...report.next],
    unknown: [...report.unknown, ...unknown],
  };
  const revision = release.status?.revision;
  const isHeld = revision === undefined || commits.every(({ id }) => id !== revision);
  const all = addDependencies(whole, dependencies, { isHeld });
  let owned: readonly OwnedObject[];
  try {
    owned = await findOwned(release, prepared.set, { client, kinds });
  } catch (error) {
    const lack = describeMissingRight(error, "Objects to prune");
    return { ...all, unknown: [...all.unknown, lack] };
  }
  const prune = decidePrune({
    ...{ resource, set: prepared.set, owned, desired: prepared, isOn: release.spec.prune, deployed, waves },
    approved: release.metadata.annotations?.[releaseAnnotations.approvePrune],
    approvals: commits.map(({ id }) => id),
  });
  const surplus = explainPrune(prune, "no longer in the source");
  const wants = { objects: prepared.objects.length, steps, unread, surplus };
  return addHeldPrune({ ...all, wants }, prune, commands);
}

/** The objects of a Release that is being deleted. */
async function whyLeaving(
  release: ReleaseObject,
  report: WhyReport,
  { session: { client, transport } }: WhyReleaseOptions,
): Promise<WhyReport> {
  const kinds = await readKinds(transport);
  const resource = toLiveObject(release) as CustomResource;
  const set = setOf(Release, release);
  try {
    const owned = await findOwned(release, set, { client, kinds });
    const decision = decideDeletion({ resource, set, owned, waves: release.status?.inventory?.waves });
    const surplus = explainPrune(decision, "the Release's, which is being deleted");
    return { ...report, wants: { objects: 0, steps: [], unread: 0, surplus } };
  } catch (error) {
    return { ...report, unknown: [describeMissingRight(error, "Remaining objects")] };
  }
}

interface Dependencies {
  readonly waits: readonly Wait[];
  readonly next: readonly string[];
  readonly unknown: readonly string[];
}

/** The Releases that it depends on and that are not ready. Their sources are not polled. */
async function findDependencies(
  release: ReleaseObject,
  { session: { client }, explainOther }: WhyReleaseOptions,
): Promise<Dependencies> {
  const waits: Wait[] = [];
  const [next, unknown]: [string[], string[]] = [[], []];
  for (const key of dependenciesOf(toLiveObject(release) as ReleaseResource & LiveObject)) {
    const [namespace = "", name = ""] = key.split("/");
    try {
      const found = await client.read(Release, { namespace, name });
      const other = found && (toLiveObject(found) as ReleaseResource & LiveObject);
      const isHidden =
        namespace !== release.metadata.namespace &&
        (other === undefined || !allowsDependents(other, release.metadata.namespace));
      const message = isHidden
        ? describeHidden(key, release.metadata.namespace)
        : assessDependency(key, other, { isCurrent: () => true });
      if (message === undefined) continue;
      waits.push({ on: "DependencyNotReady", message, until: "that Release is ready" });
      if (other !== undefined && !isHidden) next.push(explainOther({ namespace, name }));
    } catch (error) {
      unknown.push(describeMissingRight(error, `Release ${key}, a dependency`));
    }
  }
  return { waits, next, unknown };
}

function addDependencies(
  report: WhyReport,
  { waits, next }: Dependencies,
  { isHeld }: { readonly isHeld: boolean },
): WhyReport {
  const isInReport = report.waits.some(({ on }) => on === "DependencyNotReady");
  if (!isHeld && !isInReport) return report;
  // The condition lists the same Releases.
  return {
    ...report,
    waits: isInReport ? report.waits : [...waits, ...report.waits],
    next: [...next, ...report.next],
  };
}

/**
 * The problem of a source as polled from this machine, unless the operator reports it already. The operator's result may
 * differ.
 */
function withoutSource(error: unknown, release: ReleaseObject, report: WhyReport): WhyReport {
  const what = error instanceof Error ? error.message : String(error);
  if (error instanceof SourceError) {
    if (report.waits.some(({ on }) => on === error.reason)) return report;
    const isOurs = ["SourceUnreachable", "SourceRefused", "SourceInvalid"].includes(error.reason);
    const isSourced = conditionOf(release, "Sourced")?.status === "True";
    if (!isOurs || !isSourced)
      return { ...report, waits: [{ on: error.reason, message: what }, ...report.waits] };
  } else if (!isForbidden(error) && !(error instanceof WeakSandboxError)) throw error;
  return {
    ...report,
    unknown: [...report.unknown, `Desired objects: ${what}`],
    ...(error instanceof WeakSandboxError && { isSourceRefused: true }),
  };
}

function describeCommits(release: ReleaseObject): readonly string[] {
  const [last] = historyOf(release);
  const { attempted, revision } = release.status ?? {};
  return [
    ...(attempted === undefined || attempted === revision
      ? []
      : [`commit ${shortCommit(attempted)} is the last one that was tried, and is not deployed`]),
    ...(last === undefined
      ? [`${labelOfRelease(release)} has no deployed commit yet`]
      : [
          `commit ${shortCommit(last.revision)} by ${last.author} (${last.subject}) was deployed at ${last.deployedAt}: ${last.outcome}`,
        ]),
    ...describeNext(release),
  ];
}
