import type { CustomResource } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import { toLiveObject } from "../../operator/cluster/live-object.ts";
import { childKindOf, pruneInputOf } from "../../operator/desire/chart/converge-kind.ts";
import { decidePrune } from "../../operator/engine/decide-prune.ts";
import { assessHealth } from "../../operator/engine/health/health.ts";
import { explainPrune } from "../../operator/engine/reasons.ts";
import { idOf } from "../../synth/manifest.ts";
import { gitSourceOf } from "../../synth/source.ts";
import { SynthesisError } from "../../synth/synthesis-error.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { StoredObject } from "../release/api-client.ts";
import { desireNow, readChildren } from "../release/diff/compare-resource.ts";
import { dryCluster } from "../release/diff/diff-release.ts";
import type { ReleaseSession } from "../release/release-command.ts";
import { addHeldPrune } from "./held-prune.ts";
import { describeMissingRight } from "./missing-rights.ts";
import { readConditions } from "./read-conditions.ts";
import { recompute } from "./recompute.ts";
import type { RemedyContext } from "./remedies.ts";
import type { Wants, WhyReport } from "./why-report.ts";

/** The queue's longest delay between two tries. */
const retryCapMs = 1_000_000;

export interface WhyResourceOptions {
  readonly session: ReleaseSession;
  readonly binding: SynthesizableKind;
  readonly fairlead: RemedyContext["fairlead"];
  readonly nowMs: number;
}

/** Explains what the operator wants for one resource of a kind, and what it waits for. */
export async function whyResource(
  stored: StoredObject,
  { session, binding, fairlead, nowMs }: WhyResourceOptions,
): Promise<WhyReport> {
  const resource = toLiveObject(stored) as CustomResource;
  const { name, namespace, deletionTimestamp } = resource.metadata;
  const context = { kind: resource.kind.toLowerCase(), name, namespace, nowMs, retryCapMs, fairlead };
  const said = readConditions(resource, { ...context, interval: undefined, timeout: undefined });
  const report: WhyReport = {
    title: titleOf(resource),
    wants: undefined,
    waits: said.waits,
    changed: [...said.changed, ...describeCommit(resource)],
    next: said.next,
    unknown: [],
  };
  if (deletionTimestamp !== undefined) {
    const { finalizers = [] } = resource.metadata;
    const message = `Being deleted; blocked by the finalizers ${finalizers.join(", ")}`;
    return { ...report, waits: [{ on: "Deleting", message, since: deletionTimestamp }, ...report.waits] };
  }
  // Its objects are deleted, whatever its chart makes.
  if (said.waits.some(({ on }) => on === "DeclaredElsewhere")) return report;
  try {
    if (binding.source?.required === true && gitSourceOf(binding, resource) !== undefined)
      return { ...report, unknown: ["Desired objects: only the operator knows the head of their source"] };
    const found = await readChildren(resource, binding, session.client);
    const desired = desireNow(resource, binding, [...found.children, ...found.related]);
    const { steps, next, unknown, unread } = await recompute({
      ...{ resource, desired, cluster: dryCluster(session) },
      assess: (live) => assessHealth(live, { nowMs }),
    });
    const owned = found.children.map((live) => ({ id: idOf(live), kind: childKindOf(live, binding), live }));
    const prune = decidePrune(pruneInputOf(resource, desired, owned));
    const wants: Wants = { objects: desired.objects.length, steps, unread, surplus: explainPrune(prune) };
    return addHeldPrune({ ...report, wants, next: [...next, ...report.next], unknown }, prune);
  } catch (error) {
    if (error instanceof SynthesisError) return { ...report, waits: waitForSpec(error, report.waits) };
    return { ...report, unknown: [describeMissingRight(error, "Desired objects")] };
  }
}

function waitForSpec({ message }: SynthesisError, waits: WhyReport["waits"]): WhyReport["waits"] {
  if (waits.some(({ on }) => on === "SpecInvalid")) return waits;
  return [{ on: "SpecInvalid", message, until: "the spec is edited" }, ...waits];
}

function titleOf({ kind, metadata, status }: CustomResource): string {
  const { conditions = [] } = (status ?? {}) as EngineStatus;
  const ready = conditions.find(({ type }) => type === "Ready");
  const where = metadata.namespace === undefined ? "" : `${metadata.namespace}/`;
  const state =
    ready === undefined ? "is new" : ready.status === "True" ? "is Ready" : `is not ready (${ready.reason})`;
  return `${kind} ${where}${metadata.name} ${state}`;
}

function describeCommit({ status }: CustomResource): readonly string[] {
  const { published } = (status ?? {}) as EngineStatus;
  return published === undefined ? [] : [`commit ${published.commit.slice(0, 10)} has its manifests`];
}
