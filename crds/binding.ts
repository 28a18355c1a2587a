import { type ChildKind, type ChildRule, readChildren } from "./child-kind.ts";
import type { CommitTrailer } from "./commit-trailer.ts";
import { checkAdditions } from "./field-additions.ts";
import type { KindDefinition, ResourceOf, StatusOf } from "./kind.ts";
import type { KindContext, Verdict } from "./kind-context.ts";
import { checkMetrics, type KindMetric } from "./kind-metrics.ts";
import type { SourceAtHand, SourceContext, SourceInput, SourceTold } from "./kind-source.ts";
import type { CustomResource, LiveObject, ObjectKind } from "./object.ts";
import type { Observed } from "./observed.ts";
import type {
  BoundRecord,
  ContextOf,
  EngineStatusField,
  KindState,
  RecordField,
  RecordInput,
  StateOf,
} from "./record.ts";
import type { SetPolicy } from "./set-policy.ts";

/**
 * The part of a resource that a chart sees: without the status, and without fields that change by themselves. A chart
 * that depends on results reads `observed`.
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

/** The input of a chart: with `Context` only if its kind declares a record, a source or a clock. */
export type ChartProps<Resource, Context = unknown> = Context & {
  readonly resource: ChartResource<Resource extends { readonly spec: infer Spec } ? Spec : unknown>;
  readonly observed: Observed;
};

/** A cdk8s chart class; `Scope` is the construct in which it is created (this folder does not import cdk8s). */
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
   * The key (`namespace/name`) of the resource that the object concerns, if any, or all keys by which it may be sought.
   * Pure.
   */
  readonly ownerKey: (object: LiveObject) => string | undefined | readonly string[];
  /**
   * The keys by which a resource seeks these objects, if an object does not contain the name of its resource: any number
   * of resources may seek one object. Default: the resource's own key. Pure, and also called for invalid resources.
   */
  readonly soughtKey?: (resource: Resource) => string | undefined;
  /**
   * The subresource by which the chart may add to these objects, such as `ephemeralcontainers`: a manifest of this kind
   * with such an object's name is an addition. The object is never created, deleted, labelled or owned; its other
   * fields, and those of other field managers, stay as they are; an addition stays when it is no longer desired.
   */
  readonly subresource?: string;
  /**
   * Fields of the objects themselves that the chart may set, such as `spec.paused`: a manifest of this kind with only
   * these fields is an addition. The object is never created, deleted, labelled or owned, and fields of other managers
   * stay as they are. Fields that the chart no longer sets are removed, also when the resource is deleted. Excludes
   * `subresource` and `selector`.
   */
  readonly fields?: readonly string[];
  /**
   * Trailers for the commit of the manifests that such an object deploys, such as who approved what was set of it. Only with
   * `fields` and without `soughtKey`. Pure.
   */
  readonly trailers?: (
    object: LiveObject,
    state: { readonly resource: Resource; readonly observed: Observed },
  ) => readonly CommitTrailer[];
}

/** The declaration of a kind by its author, fully typed. */
export interface BindKindInput<
  Definition extends KindDefinition,
  Scope,
  Field extends RecordField<Definition> = never,
  Reads extends boolean = false,
  Requires extends boolean = never,
> {
  readonly definition: Definition;
  readonly chart: ChartClass<
    ResourceOf<Definition>,
    Scope,
    ContextOf<Definition, NoInfer<Field>, NoInfer<Reads>, NoInfer<Requires>> & SourceAtHand<NoInfer<Requires>>
  >;
  /**
   * The kinds that the chart creates: they become watches, RBAC and policy rules. Objects of a plain kind are kept as
   * the chart creates them, and committed to git; a {@link ChildKind} can change that.
   */
  readonly children: readonly (ObjectKind | ChildKind<ResourceOf<Definition>>)[];
  readonly related?: readonly RelatedObjects<ResourceOf<Definition>>[];
  /**
   * The kind's own part of the status. Pure, and also called for failed resources: it must return every field that the
   * status schema requires.
   */
  readonly status?: (
    resource: ResourceOf<Definition>,
    observed: Observed,
    context: ContextOf<Definition, NoInfer<Field>, NoInfer<Reads>, NoInfer<Requires>> &
      SourceTold<NoInfer<Requires>>,
  ) => Omit<StatusOf<Definition>, EngineStatusField | NoInfer<Field>> & {
    readonly conditions?: readonly OwnCondition[];
  };
  /** Facts to record; chart and status receive the record, and a clock. */
  readonly record?: RecordInput<Definition, Field, NoInfer<Requires>>;
  /** A git source that its resources follow; record, chart, status, verdict and retirement are given its state. */
  readonly source?: SourceInput<ResourceOf<Definition>, Requires, StateOf<Definition, NoInfer<Field>>>;
  /** Chart and status are given a clock without a record. */
  readonly readsClock?: Reads;
  /** The health of the resource; undefined: that of its least healthy object, which is the default. Pure. */
  readonly verdict?: (
    state: StateOf<Definition, NoInfer<Field>> & SourceTold<NoInfer<Requires>>,
  ) => Verdict | undefined;
  /**
   * Why the resource is to be deleted now, for example because its time is over; undefined: it is not. Pure, and also
   * called for resources with an invalid spec. A resource that has an owner or is declared by another tool is not
   * deleted, and then has no objects.
   */
  readonly retire?: (
    state: StateOf<Definition, NoInfer<Field>> & SourceTold<NoInfer<Requires>>,
  ) => string | undefined;
  /** The shipped program installs and reconciles the kind only together with Releases. Default: false. */
  readonly needsReleases?: boolean;
  /** Rules for all objects of a resource, for example whose permissions apply. */
  readonly policy?: SetPolicy<ResourceOf<Definition>>;
  /** Conditions for an event that do not stop the resource, such as an ignored duplicate. Pure. */
  readonly warnings?: (resource: ResourceOf<Definition>) => readonly string[];
  /** Types of the kind's own conditions for which a Warning event is recorded when they become true. */
  readonly warnOn?: readonly string[];
  /** Metrics of its resources. Default: none. */
  readonly metrics?: readonly KindMetric<ResourceOf<Definition>>[];
}

/** A condition of the kind's own, in addition to those of the engine. */
export interface OwnCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** Default: empty, as in kinds of other projects whose conditions have no message. */
  readonly reason?: string;
  readonly message: string;
}

/** A kind as watches and routes use it: which objects concern its resources. */
export interface DeclaredKind {
  readonly definition: KindDefinition;
  readonly children: readonly ObjectKind[];
  readonly related: readonly RelatedObjects[];
}

/** A kind as the engine uses it: its declaration without the types of the specific kind. */
export interface BoundKind<Scope = never> extends DeclaredKind {
  readonly chart: ChartClass<CustomResource, Scope>;
  /** Options of the children that are not plain. */
  readonly childRules: readonly ChildRule[];
  readonly status: (
    resource: CustomResource,
    observed: Observed,
    context?: KindContext & Partial<SourceContext>,
  ) => Readonly<Record<string, unknown>>;
  readonly record: BoundRecord | undefined;
  readonly source: SourceInput<CustomResource> | undefined;
  readonly verdict: ((state: KindState<CustomResource>) => Verdict | undefined) | undefined;
  readonly retire: ((state: KindState<CustomResource>) => string | undefined) | undefined;
  /** Installed and reconciled with Releases, and only with them. */
  readonly needsReleases: boolean;
  readonly policy: SetPolicy;
  readonly warnings: (resource: CustomResource) => readonly string[];
  readonly warnOn: readonly string[];
  readonly metrics: readonly KindMetric[];
  /** Whether its functions are given a context. */
  readonly hasContext: boolean;
}

/**
 * Binds a kind to its chart, child kinds and status.
 *
 * @throws RangeError if a manifest of the chart could be a child and an addition at once, if a child kind contradicts
 *   itself or another one, if an addition or a metric is not valid, or if a kind without namespace acts as a
 *   ServiceAccount or follows a source.
 */
export function bindKind<
  Definition extends KindDefinition,
  Scope,
  Field extends RecordField<Definition> = never,
  Reads extends boolean = false,
  Requires extends boolean = never,
>(input: BindKindInput<Definition, Scope, Field, Reads, Requires>): BoundKind<Scope> {
  const { definition, chart, related = [], status = () => ({}), warnings = () => [], warnOn = [] } = input;
  const { metrics = [] } = input;
  const { children, childRules } = readChildren(definition.kind, input.children);
  checkAdditions(definition, children, related);
  checkMetrics(definition.kind, metrics);
  // The one place where a kind's types are erased: synthesize() hands a chart only resources that
  // its definition's schema has validated.
  const { record, source, readsClock = false, verdict, retire, needsReleases = false, policy = {} } = input;
  for (const [name, part] of [["actAs", policy.actAs] as const, ["source", source] as const]) {
    if (part !== undefined && !definition.namespaced)
      throw new RangeError(`Cannot bind "${definition.kind}": "${name}" needs a namespaced kind`);
  }
  const hasContext = readsClock || [record, source, verdict, retire].some((part) => part !== undefined);
  const bound = {
    definition,
    chart,
    children,
    childRules,
    related,
    status,
    warnings,
    warnOn,
    metrics,
    record,
    source,
    verdict,
    retire,
    needsReleases,
    policy,
    hasContext,
  };
  return bound as unknown as BoundKind<Scope>;
}
