import { type CustomResource, groupKindOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import { toLiveObject } from "../../operator/cluster/live-object.ts";
import { assessHealth, countsAsHealthy } from "../../operator/engine/health/health.ts";
import { inOrder } from "../../operator/engine/in-order.ts";
import { countObjects } from "../../operator/engine/object-text.ts";
import { describeObject, listNames } from "../../operator/engine/outcome.ts";
import { describeLeavingObject } from "../../operator/engine/reasons.ts";
import { ApiUnavailableError } from "../../operator/errors.ts";
import { stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import type { StoredObject } from "../release/api-client.ts";
import { readKinds } from "../release/read-kinds.ts";
import type { ReleaseSession } from "../release/release-command.ts";
import { isForbidden } from "./missing-rights.ts";
import { inNamespace, type PasteableCommands } from "./remedies.ts";
import { reportConditions } from "./report-conditions.ts";
import type { Wait, WhyReport } from "./why-report.ts";

export interface WhyServedOptions {
  readonly session: ReleaseSession;
  readonly kind: ObjectKind;
  readonly commands: PasteableCommands;
  readonly nowMs: number;
}

/**
 * Explains a resource of a kind whose chart is in another program: from its conditions, and from the objects with the
 * label of its set.
 */
export async function whyServed(
  stored: StoredObject,
  { session, kind, commands, nowMs }: WhyServedOptions,
): Promise<WhyReport> {
  const resource = toLiveObject(stored) as CustomResource;
  const report = reportConditions(resource, { commands, nowMs });
  const { objects, hidden } = await findSet(resource, kind, session);
  const waits = objects.flatMap((live) => waitsOf(live, { report, nowMs }));
  const { name, namespace } = resource.metadata;
  const describe = commands.kubectl("describe", groupKindOf(kind), name, ...inNamespace(namespace));
  return {
    ...report,
    waits: [...report.waits, ...waits],
    next: [
      ...report.next,
      `${describe}   # shows its events`,
      "run the operator that serves the kind with --log-level=debug: each reconcile logs its reasons",
    ],
    unknown: [
      `Desired objects: another program has the chart of ${kind.kind}; ${describeFound(objects, resource)}`,
      ...(hidden === 0 ? [] : [`Objects of ${hidden} kinds: you may not list them`]),
    ],
  };
}

function describeFound(objects: readonly LiveObject[], { status }: CustomResource): string {
  const { conditions = [] } = (status ?? {}) as EngineStatus;
  if (objects.length > 0) {
    const names = listNames(objects.map(describeObject).sort());
    return `${countObjects(objects.length)} with the label of its set: ${names}`;
  }
  return conditions.some(({ type }) => type === "Applied")
    ? "no object has the label of its set"
    : `it has neither the condition Applied nor objects with the label ${stamps.set}, so Fairlead may not reconcile it`;
}

function waitsOf(
  live: LiveObject,
  { report, nowMs }: { readonly report: WhyReport; readonly nowMs: number },
): readonly Wait[] {
  const object = describeObject(live);
  if (report.waits.some(({ message }) => message.includes(object))) return [];
  if (live.metadata.deletionTimestamp !== undefined)
    return [{ on: "Deleting", message: `${object}: ${describeLeavingObject(live)}` }];
  const health = assessHealth(live, { nowMs });
  if (countsAsHealthy(health)) return [];
  const on = health.status === "Failed" ? "Failed" : "Progressing";
  return [{ on, message: `${object}: ${health.message}` }];
}

/** Finds the objects in the set of a resource, in its namespace, of all kinds that the user may list. */
async function findSet(
  resource: CustomResource,
  kind: ObjectKind,
  { client, transport }: ReleaseSession,
): Promise<{ readonly objects: readonly LiveObject[]; readonly hidden: number }> {
  const { namespace } = resource.metadata;
  const labelSelector = `${stamps.set}=${setOf(kind, resource)}`;
  const kinds = (await readKinds(transport)).all().filter(({ namespaced }) => namespaced || !kind.namespaced);
  let hidden = 0;
  const lists = await inOrder(kinds, async (one) => {
    try {
      const found = await client.list(one, { namespace, labelSelector });
      return found.map((object) => toLiveObject(object));
    } catch (error) {
      // Its definition was deleted or is being replaced since the kinds were read.
      if (error instanceof ApiUnavailableError && error.unknownKind !== undefined) return [];
      if (!isForbidden(error)) throw error;
      hidden++;
      return [];
    }
  });
  return { objects: lists.flat(), hidden };
}
