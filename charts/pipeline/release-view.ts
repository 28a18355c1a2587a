import type { LiveObject } from "../../crds/object.ts";
import type { ComparedManifests } from "../../crds/stage-differences.ts";

/** The fields of a condition that are read. */
export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
}

/** The plan of a Release for a commit that it does not run. */
export interface NextView {
  readonly revision: string;
  readonly digest?: string;
  readonly error?: string;
  readonly mutableImages?: number;
  readonly compared?: readonly ComparedManifests[];
}

/** The manifests that a Release has fully applied. */
export interface DeployedView {
  readonly revision: string;
  readonly digest?: string;
  readonly generation?: number;
  readonly since?: string;
  readonly healthySince?: string;
}

/** The fields of a Release that a Pipeline reads. */
export interface ReleaseView {
  /** `namespace/name`. */
  readonly key: string;
  readonly name: string;
  readonly namespace: string;
  /** Pipeline and stage that it names in `source.ref`. */
  readonly stage: string | undefined;
  readonly pin: { readonly revision: string; readonly digest?: string } | undefined;
  /** Whether a Pipeline has set the pin. */
  readonly isPinOurs: boolean;
  /** The commit that the Pipeline has requested a plan for. */
  readonly asked: string | undefined;
  /** When a Pipeline last changed what it sets in the Release, by the API server. */
  readonly askedAt?: string | undefined;
  readonly next: NextView | undefined;
  readonly deployed: DeployedView | undefined;
  readonly isSuspended: boolean;
  readonly isDeleting: boolean;
  /** Whether its status describes its spec. */
  readonly isObserved: boolean;
  readonly generation: number;
  readonly conditions: ReadonlyMap<string, ConditionView>;
}

interface ReleaseFields {
  readonly spec?: {
    readonly source?: {
      readonly ref?: { readonly pipeline?: string; readonly stage?: string; readonly namespace?: string };
    };
    readonly revision?: string;
    readonly digest?: string;
    readonly next?: { readonly revision?: string };
    readonly suspend?: boolean;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly (ConditionView & { readonly observedGeneration?: number })[];
    readonly deployed?: DeployedView;
    readonly next?: Omit<NextView, "mutableImages"> & { readonly mutableImages?: number | readonly string[] };
  };
}

/** The key (`namespace/name`) of the Pipeline that a Release names. Pure. */
export function pipelineKeyOf(release: LiveObject): string | undefined {
  const ref = (release as unknown as ReleaseFields).spec?.source?.ref;
  return ref?.pipeline === undefined
    ? undefined
    : `${ref.namespace ?? release.metadata.namespace}/${ref.pipeline}`;
}

/** Reads the fields of a Release that a Pipeline needs. Pure. */
export function viewRelease(release: LiveObject): ReleaseView {
  const { metadata, addedFields, addedAt } = release;
  const { spec = {}, status = {} } = release as unknown as ReleaseFields;
  const { generation = 0 } = metadata;
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  const namespace = metadata.namespace ?? "";
  return {
    key: `${namespace}/${metadata.name}`,
    name: metadata.name,
    namespace,
    stage: spec.source?.ref?.stage,
    pin:
      spec.revision === undefined
        ? undefined
        : { revision: spec.revision, ...(spec.digest && { digest: spec.digest }) },
    isPinOurs: Object.entries(addedFields ?? {}).some(([manager, fields]) => hasPin(manager, fields)),
    asked: spec.next?.revision,
    askedAt: addedAt,
    next: viewNext(status.next),
    deployed: status.deployed,
    isSuspended: spec.suspend === true,
    isDeleting: metadata.deletionTimestamp !== undefined,
    isObserved: ready !== undefined && (ready.observedGeneration ?? status.observedGeneration) === generation,
    generation,
    conditions: new Map(status.conditions?.map((condition) => [condition.type, condition])),
  };
}

function viewNext(next: NonNullable<ReleaseFields["status"]>["next"]): NextView | undefined {
  if (next === undefined) return undefined;
  const { mutableImages = 0, ...rest } = next;
  const count = typeof mutableImages === "number" ? mutableImages : mutableImages.length;
  return { ...rest, ...(count > 0 && { mutableImages: count }) };
}

/** Field managers of Pipelines. A manager's name contains a hash if the resource's key is too long, so those match too. */
const pipelineManager = /^fairlead\/(pipelines\.fairlead\.dev\/|applyset-)/;

function hasPin(manager: string, fields: unknown): boolean {
  const spec = (fields as { readonly "f:spec"?: object } | undefined)?.["f:spec"];
  return pipelineManager.test(manager) && spec !== undefined && "f:revision" in spec;
}
