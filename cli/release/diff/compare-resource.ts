import type { RelatedObjects } from "../../../crds/binding.ts";
import { instantMs } from "../../../crds/kind-context.ts";
import {
  type CustomResource,
  groupOf,
  keyOf,
  type LiveObject,
  type ObjectKind,
} from "../../../crds/object.ts";
import type { Observed } from "../../../crds/observed.ts";
import { toLiveObject } from "../../../operator/cluster/live-object.ts";
import { childKindOf, desiredSetOf, pruneInputOf } from "../../../operator/desire/chart/converge-kind.ts";
import { decidePrune } from "../../../operator/engine/decide-prune.ts";
import type { DesiredSet } from "../../../operator/engine/desired-set.ts";
import { inOrder } from "../../../operator/engine/in-order.ts";
import { idOf, stamps } from "../../../synth/manifest.ts";
import { nextContextOf } from "../../../synth/record.ts";
import { setOf } from "../../../synth/stamp.ts";
import { SynthesisError } from "../../../synth/synthesis-error.ts";
import { type SynthesizableKind, synthesize } from "../../../synth/synthesize.ts";
import type { ApiClient } from "../api-client.ts";
import { type Change, changeOf } from "./change.ts";
import { type CompareInput, compareRelease } from "./compare-release.ts";
import { pruneChanges } from "./report.ts";

export interface CompareResourceInput extends Pick<CompareInput, "cluster" | "kinds" | "shapeOf"> {
  readonly client: ApiClient;
  readonly binding: SynthesizableKind;
}

/** Changes that the operator would make to the objects of one custom resource. */
export async function compareResource(
  resource: CustomResource,
  { client, binding, cluster, kinds, shapeOf }: CompareResourceInput,
): Promise<readonly Change[]> {
  const { children, related } = await readChildren(resource, binding, client);
  try {
    const desired = desireNow(resource, binding, [...children, ...related]);
    const changes = await compareRelease({ resource, prepared: desired, cluster, kinds, shapeOf });
    const owned = children.map((live) => ({ id: idOf(live), kind: childKindOf(live, binding), live }));
    return [...changes, ...pruneChanges(decidePrune(pruneInputOf(resource, desired, owned)))];
  } catch (error) {
    if (!(error instanceof SynthesisError)) throw error;
    return [
      changeOf({
        id: idOf(resource),
        action: "refused",
        before: undefined,
        after: undefined,
        note: error.message,
      }),
    ];
  }
}

/** Desired objects of a resource. @throws SynthesisError if its spec produces invalid objects. */
export function desireNow(
  resource: CustomResource,
  binding: SynthesizableKind,
  objects: readonly LiveObject[],
): DesiredSet {
  const observed = viewOf(objects);
  const nowMs = Date.now();
  const clock = { reached: (instant: string | Date) => instantMs(instant) <= nowMs };
  const context = nextContextOf(binding, { resource, observed, clock });
  return desiredSetOf(synthesize(binding, resource, observed, context), binding, resource);
}

/** The objects of a resource's set, and the related objects of its chart. */
export async function readChildren(
  resource: CustomResource,
  binding: SynthesizableKind,
  client: ApiClient,
): Promise<{ readonly children: readonly LiveObject[]; readonly related: readonly LiveObject[] }> {
  const set = setOf(binding.definition, resource);
  const children = await listObjects(binding.children, resource, client, `${stamps.set}=${set}`);
  return { children, related: await listRelated(resource, binding, client) };
}

async function listObjects(
  kinds: readonly ObjectKind[],
  { metadata: { namespace } }: CustomResource,
  client: ApiClient,
  labelSelector?: string,
): Promise<readonly LiveObject[]> {
  const options = { namespace, ...(labelSelector !== undefined && { labelSelector }) };
  const lists = await inOrder(kinds, (kind) => client.list(kind, options));
  return lists.flat().map((object) => toLiveObject(object));
}

async function listRelated(
  resource: CustomResource,
  { related }: SynthesizableKind,
  client: ApiClient,
): Promise<readonly LiveObject[]> {
  const lists = await inOrder(related, async ({ kind, selector, ownerKey, soughtKey }: RelatedObjects) => {
    const found = await listObjects([kind], resource, client, selector);
    const sought = soughtKey === undefined ? keyOf(resource) : soughtKey(resource);
    return found.filter((object) => sought !== undefined && [ownerKey(object)].flat().includes(sought));
  });
  return lists.flat();
}

function viewOf(objects: readonly LiveObject[]): Observed {
  const sorted = [...new Map(objects.map((one) => [one.metadata.uid, one])).values()].toSorted((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
  const list = (kind: ObjectKind) =>
    sorted.filter((one) => one.kind === kind.kind && groupOf(one.apiVersion) === kind.group);
  return { list, find: (kind, name) => list(kind).find(({ metadata }) => metadata.name === name) };
}
