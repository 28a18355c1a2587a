import type { BoundKind } from "../../../crds/binding.ts";
import type { KindClock } from "../../../crds/kind-context.ts";
import { type CustomResource, groupOf, keyOf, type ObjectKind } from "../../../crds/object.ts";
import { APPROVE_PRUNE } from "../../../crds/status.ts";
import { digestOf } from "../../../synth/digest.ts";
import { idOf, type Manifest, type ManifestSet } from "../../../synth/manifest.ts";
import { contextOf } from "../../../synth/record.ts";
import { awaitsSource } from "../../../synth/source.ts";
import { SynthesisError } from "../../../synth/synthesis-error.ts";
import type { SynthesizableKind } from "../../../synth/synthesize.ts";
import type { Synthesizer } from "../../../synth/synthesizer.ts";
import { applyStageOf } from "../../engine/apply-stage.ts";
import { type Converged, type ConvergeOptions, converge } from "../../engine/converge.ts";
import type { PruneInput } from "../../engine/decide-prune.ts";
import type { DesiredObject, DesiredSet, LifetimeRule } from "../../engine/desired-set.ts";
import { assessHealth } from "../../engine/health/health.ts";
import { orderObjects } from "../../engine/order-objects.ts";
import type { Subject } from "../../engine/subject.ts";
import { ReplacedError, SpecInvalidError } from "../../errors.ts";
import type { Clock, Cluster, Stores } from "../../ports.ts";
import { actingFor } from "./acting.ts";
import { wasApplied } from "./applied-generation.ts";
import { holdDeletion } from "./finalize.ts";
import { describeAwaited } from "./follow-source.ts";
import { type Loaded, load } from "./load.ts";
import { removalsOf } from "./removals.ts";
import { timeoutOf } from "./time-health.ts";

export interface ConvergeKindOptions extends Omit<ConvergeOptions, "acting" | "related"> {
  readonly kind: SynthesizableKind;
  readonly stores: Stores;
  readonly cluster: Cluster;
  readonly synthesize: Synthesizer;
  readonly clock: Clock;
  /** The clock of the chart, for kinds that have a context. */
  readonly kindClock?: KindClock | undefined;
}

export interface ConvergedKind extends Converged {
  /** Generation of the resource that was synthesized. It may have been edited since. */
  readonly generation: number | undefined;
  /** Undefined: the resource could not be synthesized. */
  readonly desired: ManifestSet | undefined;
  /** Why the resource is kept without objects; undefined: it has not expired. */
  readonly expired: string | undefined;
}

/** Synthesizes a resource and converges its desired set. A failure is returned as a value; the caller reports or throws it. */
export async function convergeKind(before: Loaded, options: ConvergeKindOptions): Promise<ConvergedKind> {
  const { resource, refusal: known, expired, sourced } = before;
  const { kind, stores, clock } = options;
  const { acting, refusal = known } = actingFor(resource, options);
  const { definition } = kind;
  const key = keyOf(resource);
  let { generation, resourceVersion } = resource.metadata;
  if (refusal === undefined && expired === undefined && awaitsSource(kind, sourced?.state))
    return { ...unchanged, outcome: describeAwaited(before), generation };
  let loaded: Loaded | undefined;
  let desired: ManifestSet | undefined;
  const ownedNow = (): Loaded["owned"] => load(key, kind, stores)?.owned ?? [];
  const subject: Subject = {
    key,
    kind: definition,
    title: `${resource.kind}/${resource.metadata.name}`,
    whose: "this resource's",
    desire: (claimed) => {
      loaded = load(key, kind, stores, claimed);
      if (loaded === undefined) return undefined;
      const { metadata } = loaded.resource;
      // The source that was read is that of the earlier spec.
      const isOther = kind.source !== undefined && metadata.generation !== generation;
      generation = metadata.generation;
      if (refusal !== undefined) throw refusal;
      timeoutOf(loaded.resource, kind);
      if (isOther) throw new ReplacedError(idOf(resource));
      // The record was folded from an earlier version of the resource.
      if (kind.record !== undefined && metadata.resourceVersion !== resourceVersion)
        throw new ReplacedError(idOf(resource));
      desired =
        expired === undefined
          ? synthesizeOrRefuse({ ...loaded, ...(sourced && { sourced }) }, options)
          : nothingFor(loaded);
      const removals = removalsOf(loaded.resource, desired.additions, options);
      const set = { ...desiredSetOf(desired, kind, loaded.resource), removals };
      // For an expired resource, objects that are created once are deleted as well.
      return { resource: loaded.resource, desired: expired === undefined ? set : { ...set, lifetimes: [] } };
    },
    // A store rejects objects that are older than its watch, so also use the objects that this run has read.
    observed: (claimed) => (object) =>
      object.kind && (stores.children(object.kind).get(keyOf(object.manifest)) ?? claimed.get(object.id)),
    watch: (child) => ({ store: stores.children(child), hasSynced: true, refusal: undefined }),
    assess: (live) => assessHealth(live, { nowMs: clock.wallClock().getTime() }),
    record: async () => {
      if (loaded === undefined || desired === undefined) return;
      const held = await holdDeletion(loaded, desired, options);
      if (held !== undefined) ({ resourceVersion } = held.metadata);
    },
    surplus: (target) => {
      let owned = loaded?.owned;
      return {
        why: expired === undefined ? "no longer desired" : "expired",
        input: () => {
          const decided = pruneInputOf(target.resource, target.desired, owned ?? ownedNow());
          const input = expired === undefined ? decided : { ...decided, mayHold: false };
          // Read the remaining objects again for the next wave.
          owned = undefined;
          return input;
        },
      };
    },
  };
  const converged = await converge(subject, {
    ...options,
    acting,
    related: (related, selector) => stores.related(related, selector),
  });
  return { ...converged, generation, desired, expired };
}

/** Parts of the result of a run without changes. */
export const unchanged = {
  ...{ target: undefined, plan: undefined, pruned: undefined, changes: [], steps: [], error: undefined },
  ...{ desired: undefined, expired: undefined },
} as const;

/** The empty set of an expired resource. */
function nothingFor({ set }: Loaded): ManifestSet {
  return { manifests: [], needs: new Map(), additions: [], set, digest: digestOf("") };
}

/** @throws SpecInvalidError if the chart or the kind rejects the resource. */
export function synthesizeOrRefuse(
  { resource, observed, sourced }: Pick<Loaded, "resource" | "observed" | "sourced">,
  { kind, synthesize, kindClock }: Pick<ConvergeKindOptions, "kind" | "synthesize" | "kindClock">,
): ManifestSet {
  try {
    const given = kindClock && contextOf(kind, resource, { clock: kindClock, source: sourced?.state });
    return synthesize(kind, resource, observed, given);
  } catch (error) {
    if (error instanceof SynthesisError) throw new SpecInvalidError(error.message, { cause: error });
    throw error;
  }
}

/** Returns the desired set of the manifests of a chart. Pure. */
export function desiredSetOf(
  { manifests, additions, needs, set, digest }: ManifestSet,
  kind: Pick<BoundKind, "children" | "childRules" | "record">,
  resource: CustomResource,
): DesiredSet {
  const { childRules } = kind;
  const origin = keyOf(resource);
  const items = manifests.map((manifest): DesiredObject => {
    const id = idOf(manifest);
    const child = childKindOf(manifest, kind);
    const rule = childRules.find((one) => one.kind === child);
    return {
      id,
      manifest,
      kind: child,
      origin,
      stage: applyStageOf(manifest),
      needs: needs.get(id) ?? [],
      isEnsured: false,
      lifetime: rule?.lifetime ?? "kept",
      isProtected: rule?.lifetime === "run" && kind.record !== undefined,
      publish: rule?.publish ?? true,
    };
  });
  const lifetimes = childRules.flatMap(({ kind: child, lifetime, keep }): LifetimeRule[] =>
    lifetime === "kept" ? [] : [{ kind: child, lifetime, keep: keep && ((left) => keep(resource, left)) }],
  );
  const isOrdered = needs.size > 0;
  // cdk8s has already rejected cycles.
  const { order: objects = items } = isOrdered ? orderObjects(items) : {};
  const hasUnpublished = childRules.some(({ publish }) => !publish);
  return { set, digest, objects, isOrdered, additions, hasUnpublished, lifetimes };
}

/** The child kind of a manifest. synthesize() guarantees that there is one. */
export function childKindOf(
  { apiVersion, kind: name }: Manifest,
  { children }: Pick<BoundKind, "children">,
): ObjectKind {
  const child = children.find(({ kind, group }) => kind === name && group === groupOf(apiVersion));
  if (child === undefined) throw new Error(`Cannot place "${name}" (${apiVersion}): it is not a child kind`);
  return child;
}

/** The input of the prune decision for a resource of a kind. Pure. */
export function pruneInputOf(
  resource: CustomResource,
  desired: DesiredSet,
  owned: PruneInput["owned"],
): PruneInput {
  return {
    resource,
    set: desired.set,
    owned,
    desired,
    isReferenced: true,
    mayHold: wasApplied(resource),
    deployed: undefined,
    approved: resource.metadata.annotations?.[APPROVE_PRUNE],
    approvals: [desired.digest],
  };
}
