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
  /** The kind's own part, with the conditions it shows beside the engine's. */
  readonly kindStatus: Readonly<Record<string, unknown>>;
  readonly applied: ApplyOutcome;
  /** Of all children together; undefined when they could not be judged. */
  readonly health: Health | undefined;
  /** `skipped`: there is a repository, but nothing was offered to it this time. Undefined: there is none. */
  readonly publish: PublishState | { readonly state: "skipped" } | undefined;
  /** Why an expired resource is kept, without objects; undefined: it has not expired. */
  readonly expired?: string | undefined;
  /** The state of its source, for the conditions; undefined: it follows none. */
  readonly standing?: SourceStanding | undefined;
  /** The kind's own conditions are in its own order, such as the newest last. Default: in that of their types. */
  readonly keepsOrder?: boolean;
  /** Wall clock, RFC 3339; only used as `lastTransitionTime` of changes. */
  readonly nowIso: string;
}

export type ResourceStatus = EngineStatus & Readonly<Record<string, unknown>>;

/**
 * The status that a resource should have. Pure, and stable: composed again without a change it is equal to the
 * existing one, so that nothing is written.
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

/** The fields that every status has, whatever its resource is, over those of its own sort. Pure. */
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

/** A time as statuses show it: RFC 3339, to the second. Pure. */
export function timestampOf(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
