import type { KindDefinition, ResourceOf, StatusOf } from "./kind.ts";
import type { KindClock, KindContext, NoRecord, Recorded } from "./kind-context.ts";
import type { SourceAtHand, SourceContext } from "./kind-source.ts";
import type { CustomResource } from "./object.ts";
import type { Observed } from "./observed.ts";

/** Status fields that the engine writes for every kind. */
export type EngineStatusField = "conditions" | "observedGeneration" | "published";

/** Names of the status fields that a kind may use for its record. */
export type RecordField<Definition extends KindDefinition> = Exclude<
  keyof StatusOf<Definition> & string,
  EngineStatusField
>;

/** The record of a kind: these fields of its status. */
export type RecordOf<Definition extends KindDefinition, Field extends RecordField<Definition>> = Pick<
  StatusOf<Definition>,
  Field
>;

/** Facts that a kind must record, because the objects that prove them are deleted. */
export interface RecordInput<
  Definition extends KindDefinition,
  Field extends RecordField<Definition>,
  Requires extends boolean = never,
> {
  /** The status fields of the record; the kind's `status` does not return them. */
  readonly fields: readonly Field[];
  /**
   * The next record. Pure, and idempotent: folding its own result with the same input returns the same record. It is
   * written before the chart runs. Also called for resources with an invalid spec.
   */
  readonly fold: (
    previous: Partial<RecordOf<Definition, Field>>,
    input: {
      readonly resource: ResourceOf<Definition>;
      readonly observed: Observed;
      readonly clock: KindClock;
    } & SourceAtHand<Requires>,
  ) => RecordOf<Definition, Field>;
}

/**
 * The additional input of the functions of a kind, besides resource and observed objects: empty, unless the kind
 * declares it.
 */
export type ContextOf<
  Definition extends KindDefinition,
  Field extends RecordField<Definition>,
  Reads extends boolean,
  Requires extends boolean = never,
> = [Field] extends [never]
  ? [Requires] extends [never]
    ? Reads extends true
      ? KindContext
      : unknown
    : KindContext
  : KindContext<RecordOf<Definition, Field>>;

/** The input of decisions: the resource, the observed state of its objects, the record and the clock. */
export type KindState<Resource, Facts = Recorded> = KindContext<Facts> & {
  readonly resource: Resource;
  readonly observed: Observed;
};

export type StateOf<Definition extends KindDefinition, Field extends RecordField<Definition>> = KindState<
  ResourceOf<Definition>,
  [Field] extends [never] ? NoRecord : RecordOf<Definition, Field>
>;

/** A record as the engine uses it. */
export interface BoundRecord {
  readonly fields: readonly string[];
  readonly fold: (
    previous: Recorded,
    input: {
      readonly resource: CustomResource;
      readonly observed: Observed;
      readonly clock: KindClock;
    } & Partial<SourceContext>,
  ) => Recorded;
}
