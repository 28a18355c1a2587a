import type { CustomResource } from "../../crds/object.ts";
import { toLiveObject } from "../../operator/cluster/live-object.ts";
import { childKindOf, pruneInputOf } from "../../operator/desire/chart/converge-kind.ts";
import { timeoutOf } from "../../operator/desire/chart/time-health.ts";
import { decidePrune } from "../../operator/engine/decide-prune.ts";
import type { ShapeOf } from "../../operator/engine/field-shape.ts";
import { assessHealth } from "../../operator/engine/health/health.ts";
import { explainPrune } from "../../operator/engine/reasons.ts";
import { type Addition, idOf } from "../../synth/manifest.ts";
import { gitSourceOf } from "../../synth/source.ts";
import { SynthesisError } from "../../synth/synthesis-error.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { StoredObject } from "../release/api-client.ts";
import { desireNow, readChildren } from "../release/diff/compare-resource.ts";
import { dryCluster } from "../release/diff/diff-release.ts";
import type { ReleaseSession } from "../release/release-command.ts";
import { addHeldPrune } from "./held-prune.ts";
import { describeMissingRight } from "./missing-rights.ts";
import { recompute } from "./recompute.ts";
import {
  findRemovals,
  type RecomputeAdditionsInput,
  type RecomputedAdditions,
  recomputeAdditions,
} from "./recompute-additions.ts";
import type { PasteableCommands } from "./remedies.ts";
import { reportConditions } from "./report-conditions.ts";
import type { Wants, WhyReport } from "./why-report.ts";

export interface WhyResourceOptions {
  readonly session: ReleaseSession;
  readonly shapeOf: ShapeOf;
  readonly binding: SynthesizableKind;
  readonly commands: PasteableCommands;
  readonly nowMs: number;
}

/** Explains the desired state of one resource of a kind, and what the operator waits for. */
export async function whyResource(
  stored: StoredObject,
  { session, shapeOf, binding, commands, nowMs }: WhyResourceOptions,
): Promise<WhyReport> {
  const resource = toLiveObject(stored) as CustomResource;
  const report = reportConditions(resource, { commands, nowMs, timeout: findTimeout(resource, binding) });
  if (resource.metadata.deletionTimestamp !== undefined) return report;
  // Its objects are deleted, whatever its chart creates.
  if (report.waits.some(({ on }) => on === "DeclaredElsewhere")) return report;
  try {
    if (binding.source?.required === true && gitSourceOf(binding, resource) !== undefined)
      return { ...report, unknown: ["Desired objects: only the operator knows the head of their source"] };
    const found = await readChildren(resource, binding, session.client);
    const desired = desireNow(resource, binding, [...found.children, ...found.related]);
    const cluster = dryCluster(session);
    const { steps, next, unknown, unread } = await recompute({
      ...{ resource, desired, cluster, shapeOf, commands },
      assess: (live) => assessHealth(live, { nowMs }),
    });
    const owned = found.children.map((live) => ({ id: idOf(live), kind: childKindOf(live, binding), live }));
    const prune = decidePrune(pruneInputOf(resource, desired, owned));
    const { additions: wanted = [] } = desired;
    const added = await explainAdditions(resource, { additions: wanted, cluster, shapeOf, binding, session });
    const surplus = explainPrune(prune);
    const { additions } = added;
    const wants: Wants = { objects: desired.objects.length, steps, unread, surplus, additions };
    const whole = { ...report, wants, next: [...next, ...report.next] };
    return addHeldPrune({ ...whole, unknown: [...unknown, ...added.unknown] }, prune, commands);
  } catch (error) {
    if (error instanceof SynthesisError) return { ...report, waits: waitForSpec(error, report.waits) };
    return { ...report, unknown: [describeMissingRight(error, "Desired objects")] };
  }
}

interface ExplainAdditionsOptions extends Pick<WhyResourceOptions, "binding" | "session" | "shapeOf"> {
  readonly additions: readonly Addition[];
  readonly cluster: ReturnType<typeof dryCluster>;
}

async function explainAdditions(
  resource: CustomResource,
  { additions, cluster, shapeOf, binding, session: { client } }: ExplainAdditionsOptions,
): Promise<RecomputedAdditions> {
  const unknown: string[] = [];
  let removals: RecomputeAdditionsInput["removals"] = [];
  try {
    removals = await findRemovals(resource, { binding, additions, client });
  } catch (error) {
    unknown.push(describeMissingRight(error, "Fields that were set in other objects"));
  }
  const found = await recomputeAdditions({ additions, removals, cluster, shapeOf });
  return { ...found, unknown: [...found.unknown, ...unknown] };
}

/** Undefined: there is none, or the spec is not valid, which is a wait of its own. */
function findTimeout(resource: CustomResource, binding: SynthesizableKind): string | undefined {
  try {
    return timeoutOf(resource, binding)?.timeout;
  } catch {
    return undefined;
  }
}

function waitForSpec({ message }: SynthesisError, waits: WhyReport["waits"]): WhyReport["waits"] {
  if (waits.some(({ on }) => on === "SpecInvalid")) return waits;
  return [{ on: "SpecInvalid", message, until: "the spec is edited" }, ...waits];
}
