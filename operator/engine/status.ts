import type { OwnCondition } from "../../crds/binding.ts";
import type { Condition } from "../../crds/conditions.ts";
import type { CustomResource } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import type { PublishState } from "../ports.ts";
import { composeConditions } from "./conditions.ts";
import type { Health } from "./health/health.ts";
import type { ApplyOutcome } from "./outcome.ts";
import type { SourceStanding } from "./source-standing.ts";

export interface StatusInput {
  readonly resource: CustomResource;
  /** The kind's own fields, including its own conditions. */
  readonly kindStatus: Readonly<Record<string, unknown>>;
  readonly applied: ApplyOutcome;
  /** The health of all children; undefined: they could not be assessed. */
  readonly health: Health | undefined;
  /** `skipped`: there is a repository, but this run offered nothing to it. Undefined: there is none. */
  readonly publish: PublishState | { readonly state: "skipped" } | undefined;
  /** Why an expired resource is kept, without objects; undefined: it has not expired. */
  readonly expired?: string | undefined;
  /** The state of the source, for the conditions; undefined: the resource has no source. */
  readonly standing?: SourceStanding | undefined;
  /** Whether the kind's own conditions keep the order of the kind, such as the newest last. Default: sorted by type. */
  readonly keepsOrder?: boolean;
  /** Wall clock, RFC 3339. Used only as `lastTransitionTime` of changes. */
  readonly nowIso: string;
}

export type ResourceStatus = EngineStatus & Readonly<Record<string, unknown>>;

/**
 * Composes the status of a resource. Without a change, the result equals the existing status, so that nothing is written.
 * Pure.
 */
export function composeStatus(input: StatusInput): ResourceStatus {
  const { resource, kindStatus, publish } = input;
  const previous = (resource.status ?? {}) as EngineStatus;
  const { conditions: own = [], ...fields } = kindStatus;
  const conditions = composeConditions({
    ...input,
    own: own as readonly OwnCondition[],
    previous: (previous.conditions ?? []) as readonly Condition[],
  });
  const { generation } = resource.metadata;
  return withEngineFields(fields, { previous, generation, publish, conditions });
}

export interface EngineFields extends Pick<StatusInput, "publish"> {
  readonly previous: Pick<EngineStatus, "published">;
  /** The generation that was observed. */
  readonly generation: number | undefined;
  readonly conditions: Condition[];
}

/** Adds the fields that every status has to the own fields of a sort of resources. Pure. */
export function withEngineFields(
  own: Readonly<Record<string, unknown>>,
  { previous, generation, publish, conditions }: EngineFields,
): ResourceStatus {
  const published = publish?.state === "published" ? publish.record : publish && previous.published;
  return {
    ...own,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(published !== undefined && { published }),
    conditions,
  };
}

/** Formats a time for a status: RFC 3339, in whole seconds. Pure. */
export function timestampOf(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
