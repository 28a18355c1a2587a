import { type ChildKind, type ChildRule, readChildren } from "./child-kind.ts";
import type { KindDefinition, ResourceOf, StatusOf } from "./kind.ts";
import type { KindClock, KindContext, NoRecord, Recorded, Verdict } from "./kind-context.ts";
import { type CustomResource, groupKindOf, type LiveObject, type ObjectKind } from "./object.ts";

/**
 * What the operator last saw of a resource's children and related objects: a read-only view, so that
 * a chart can depend on what already happened and stays a pure function. Objects are in the order of
 * their names. Terminating objects are included: look at `deletionTimestamp`.
 */
export interface Observed {
  list(kind: ObjectKind): readonly LiveObject[];
  find(kind: ObjectKind, name: string): LiveObject | undefined;
}

/**
 * What somebody asks for, as a chart sees it: without the status, and without what else changes by itself. A chart that
 * depends on what came of it asks `observed`.
 */
export interface ChartResource<Spec> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<
    LiveObject["metadata"],
    "name" | "namespace" | "uid" | "generation" | "labels" | "annotations"
  >;
  readonly spec: Spec;
}

/** What a chart is given: `Context` only where its kind declares a record, or that it reads a clock. */
export type ChartProps<Resource, Context = unknown> = Context & {
  readonly resource: ChartResource<Resource extends { readonly spec: infer Spec } ? Spec : unknown>;
  readonly observed: Observed;
};

/** A cdk8s chart class; `Scope` is the construct that it is made in (this folder knows no cdk8s). */
export type ChartClass<Resource, Scope, Context = unknown> = new (
  scope: Scope,
  id: string,
  props: ChartProps<Resource, Context>,
) => object;

/** Objects that a resource does not own, but which its status or chart depends on. */
export interface RelatedObjects<Resource = CustomResource> {
  readonly kind: ObjectKind;
  /** Label selector of the watch, such as `app=memcached`. Without it all objects of the kind are watched. */
  readonly selector?: string;
  /**
   * The key (`namespace/name`) of the resource that the object stands behind, if any; with `soughtKey`, everything that
   * it may be looked for by. Pure.
   */
  readonly ownerKey: (object: LiveObject) => string | undefined | readonly string[];
  /**
   * What a resource looks for these objects by, where an object cannot tell whom it concerns: any number of resources
   * may seek one object. Default: the resource's own key. Pure, and called for resources that are not valid, too.
   */
  readonly soughtKey?: (resource: Resource) => string | undefined;
  /**
   * The subresource by which the chart may add to these objects, such as `ephemeralcontainers`: a manifest of this kind
   * that names one of them is an addition. The object is never made, deleted, labelled or owned; its other fields, and
   * those that another field manager has, stay as they are; what was added stays when it is no longer asked for.
   */
  readonly subresource?: string;
}

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
export interface RecordInput<Definition extends KindDefinition, Field extends RecordField<Definition>> {
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
    },
  ) => RecordOf<Definition, Field>;
}

/** What the functions of a kind are given besides resource and observed: nothing, unless the kind declares it. */
type ContextOf<
  Definition extends KindDefinition,
  Field extends RecordField<Definition>,
  Reads extends boolean,
> = [Field] extends [never]
  ? Reads extends true
    ? KindContext
    : unknown
  : KindContext<RecordOf<Definition, Field>>;

/** What is decided from: the resource, what was observed of its objects, the record and the clock. */
export type KindState<Resource, Facts = Recorded> = KindContext<Facts> & {
  readonly resource: Resource;
  readonly observed: Observed;
};

type StateOf<Definition extends KindDefinition, Field extends RecordField<Definition>> = KindState<
  ResourceOf<Definition>,
  [Field] extends [never] ? NoRecord : RecordOf<Definition, Field>
>;

/** What the author of a kind says about it, fully typed. */
export interface BindKindInput<
  Definition extends KindDefinition,
  Scope,
  Field extends RecordField<Definition> = never,
  Reads extends boolean = false,
> {
  readonly definition: Definition;
  readonly chart: ChartClass<
    ResourceOf<Definition>,
    Scope,
    ContextOf<Definition, NoInfer<Field>, NoInfer<Reads>>
  >;
  /**
   * The kinds that the chart makes: they become watches, RBAC and policy rules. A plain kind is kept as the chart makes it,
   * and committed to git; a {@link ChildKind} says otherwise.
   */
  readonly children: readonly (ObjectKind | ChildKind<ResourceOf<Definition>>)[];
  readonly related?: readonly RelatedObjects<ResourceOf<Definition>>[];
  /**
   * The kind's own part of the status. Pure, and called for failed resources too: it must return
   * every field that the status schema requires.
   */
  readonly status?: (
    resource: ResourceOf<Definition>,
    observed: Observed,
    context: ContextOf<Definition, NoInfer<Field>, NoInfer<Reads>>,
  ) => Omit<StatusOf<Definition>, EngineStatusField | NoInfer<Field>> & {
    readonly conditions?: readonly OwnCondition[];
  };
  /** Facts to remember; chart and status are given the record, and a clock. */
  readonly record?: RecordInput<Definition, Field>;
  /** Chart and status are given a clock without a record. */
  readonly readsClock?: Reads;
  /** The health of the resource; undefined: that of its worst object, which is the default. Pure. */
  readonly verdict?: (state: StateOf<Definition, NoInfer<Field>>) => Verdict | undefined;
  /**
   * Why the resource is to be deleted now, such as because its time is over; undefined: it is not. Pure, and called for
   * resources whose spec is not valid, too. One that an owner or another tool declares is kept, without objects.
   */
  readonly retire?: (state: StateOf<Definition, NoInfer<Field>>) => string | undefined;
  /** Things worth an event that do not stop the resource, such as an ignored duplicate. Pure. */
  readonly warnings?: (resource: ResourceOf<Definition>) => readonly string[];
}

/** A condition of the kind's own, shown beside the engine's. */
export interface OwnCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** A kind as watches and routes see it: which objects concern its resources. */
export interface DeclaredKind {
  readonly definition: KindDefinition;
  readonly children: readonly ObjectKind[];
  readonly related: readonly RelatedObjects[];
}

/** A record as the engine sees it. */
export interface BoundRecord {
  readonly fields: readonly string[];
  readonly fold: (
    previous: Recorded,
    input: { readonly resource: CustomResource; readonly observed: Observed; readonly clock: KindClock },
  ) => Recorded;
}

/** A kind as the engine sees it: the same as its declaration, with the types of the one kind erased. */
export interface BoundKind<Scope = never> extends DeclaredKind {
  readonly chart: ChartClass<CustomResource, Scope>;
  /** Of the children that are not plain. */
  readonly childRules: readonly ChildRule[];
  readonly status: (
    resource: CustomResource,
    observed: Observed,
    context?: KindContext,
  ) => Readonly<Record<string, unknown>>;
  readonly record: BoundRecord | undefined;
  readonly verdict: ((state: KindState<CustomResource>) => Verdict | undefined) | undefined;
  readonly retire: ((state: KindState<CustomResource>) => string | undefined) | undefined;
  readonly warnings: (resource: CustomResource) => readonly string[];
  /** Whether its functions are given a context. */
  readonly hasContext: boolean;
}

/**
 * Ties a kind to its chart, child kinds and status.
 *
 * @throws RangeError if a manifest of the chart could be a child and an addition at once, or if a child kind contradicts
 *   itself or another one.
 */
export function bindKind<
  Definition extends KindDefinition,
  Scope,
  Field extends RecordField<Definition> = never,
  Reads extends boolean = false,
>(input: BindKindInput<Definition, Scope, Field, Reads>): BoundKind<Scope> {
  const { definition, chart, related = [], status = () => ({}), warnings = () => [] } = input;
  const { children, childRules } = readChildren(definition.kind, input.children);
  const both = related.find(
    ({ kind, subresource }) =>
      subresource !== undefined && children.some((child) => groupKindOf(child) === groupKindOf(kind)),
  );
  if (both !== undefined) {
    throw new RangeError(
      `Cannot bind "${definition.kind}": ${both.kind.kind} is a child kind, so nothing can be added to others`,
    );
  }
  // The one place where a kind's types are erased: synthesize() hands a chart only resources that
  // its definition's schema has validated.
  const { record, readsClock = false, verdict, retire } = input;
  const hasContext = readsClock || [record, verdict, retire].some((part) => part !== undefined);
  const bound = {
    definition,
    chart,
    children,
    childRules,
    related,
    status,
    warnings,
    record,
    verdict,
    retire,
    hasContext,
  };
  return bound as unknown as BoundKind<Scope>;
}
