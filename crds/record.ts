import type { KindDefinition, ResourceOf, StatusOf } from "./kind.ts";
import type { KindClock, KindContext, NoRecord, Recorded } from "./kind-context.ts";
import type { SourceAtHand, SourceContext } from "./kind-source.ts";
import type { CustomResource } from "./object.ts";
import type { Observed } from "./observed.ts";

/** Status fields that the engine writes for every kind. */
export type EngineStatusField = "conditions" | "observedGeneration" | "published";

/** Names of the status fields that a kind may keep as its record. */
export type RecordField<Definition extends KindDefinition> = Exclude<
  keyof StatusOf<Definition> & string,
  EngineStatusField
>;

/** The record of a kind: these fields of its status. */
export type RecordOf<Definition extends KindDefinition, Field extends RecordField<Definition>> = Pick<
  StatusOf<Definition>,
  Field
>;

/** Facts that a kind must remember, because what shows them is deleted. */
export interface RecordInput<
  Definition extends KindDefinition,
  Field extends RecordField<Definition>,
  Requires extends boolean = never,
> {
  /** The status fields that the record consists of; the kind's `status` does not give them. */
  readonly fields: readonly Field[];
  /**
   * The next record. Pure, and stable: folding its own result with the same input gives the same. It is written before the
   * chart runs. Called for resources whose spec is not valid, too.
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

/** What the functions of a kind are given besides resource and observed: nothing, unless the kind declares it. */
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

/** What is decided from: the resource, what was observed of its objects, the record and the clock. */
export type KindState<Resource, Facts = Recorded> = KindContext<Facts> & {
  readonly resource: Resource;
  readonly observed: Observed;
};

export type StateOf<Definition extends KindDefinition, Field extends RecordField<Definition>> = KindState<
  ResourceOf<Definition>,
  [Field] extends [never] ? NoRecord : RecordOf<Definition, Field>
>;

/** A record as the engine sees it. */
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
