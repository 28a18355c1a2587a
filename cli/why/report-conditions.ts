import type { CustomResource } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import { readConditions } from "./read-conditions.ts";
import type { RemedyContext } from "./remedies.ts";
import type { WhyReport } from "./why-report.ts";

/** The queue's longest delay between two attempts. */
const retryCapMs = 1_000_000;

/** Reports what the status and the metadata of a resource contain, whatever its kind. Pure. */
export function reportConditions(
  resource: CustomResource,
  {
    commands,
    nowMs,
    timeout,
  }: Pick<RemedyContext, "commands" | "nowMs"> & Partial<Pick<RemedyContext, "timeout">>,
): WhyReport {
  const { name, namespace, deletionTimestamp, finalizers = [] } = resource.metadata;
  const context = { kind: resource.kind.toLowerCase(), name, namespace, nowMs, retryCapMs, commands };
  const said = readConditions(resource, { ...context, interval: undefined, timeout });
  const message = `Being deleted; blocked by the finalizers ${finalizers.join(", ")}`;
  const deletion =
    deletionTimestamp === undefined ? [] : [{ on: "Deleting", message, since: deletionTimestamp }];
  return {
    title: titleOf(resource),
    wants: undefined,
    waits: [...deletion, ...said.waits],
    changed: [...said.changed, ...describeCommit(resource)],
    next: said.next,
    unknown: [],
  };
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
