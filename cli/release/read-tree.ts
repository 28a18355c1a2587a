import { Job, Pod, ReplicaSet } from "../../crds/core-kinds.ts";
import { groupOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { toLiveObject } from "../../operator/cluster/live-object.ts";
import type { Health } from "../../operator/engine/health/health.ts";
import { inOrder } from "../../operator/engine/in-order.ts";
import { idOf, kindIn, type ObjectId, stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { ApiClient } from "./api-client.ts";
import { buildTree, placeOf } from "./build-tree.ts";
import type { KnownKinds } from "./read-kinds.ts";
import type { ReleaseObject } from "./release-object.ts";
import type { TreeNode } from "./tree-node.ts";

export interface ReadTreeOptions {
  readonly client: ApiClient;
  readonly cluster: KnownKinds;
  /** The kinds of custom resources that own objects. */
  readonly kinds: readonly SynthesizableKind[];
  readonly assess: (live: LiveObject, pods: readonly LiveObject[]) => Health;
}

/** Reads the objects of a Release and the objects that they own: one list per kind and namespace. */
export async function readTree(
  release: ReleaseObject,
  options: ReadTreeOptions,
): Promise<readonly TreeNode[]> {
  const { entries: inventory = [], finished = [] } = release.status?.inventory ?? {};
  const unread = new Map<string, string>();
  const places = new Map(inventory.map((id) => [placeOf(id), id]));
  const recorded = new Set(inventory);
  const labelled = await readAll([...places.values()], (id) =>
    readPlace(id, setOf(Release, release), options, unread),
  );
  const owned = labelled.filter((object) => recorded.has(idOf(object)));
  const behind = await readBehind(owned, options);
  const done = new Set(finished.flatMap((run) => run.split(" ", 1)));
  return buildTree({ inventory, finished: done, owned, behind, unread, assess: options.assess });
}

/** Objects of the set of one kind in one namespace. */
async function readPlace(
  id: ObjectId,
  set: string,
  { client, cluster }: ReadTreeOptions,
  unread: Map<string, string>,
): Promise<readonly LiveObject[]> {
  const [group = "", kindName = "", namespace = ""] = id.split("/");
  const kind = cluster.findGroupKind(group, kindName);
  if (kind === undefined) {
    unread.set(placeOf(id), `the cluster has no kind ${kindIn(id)}`);
    return [];
  }
  try {
    return await listLive(client, kind, {
      namespace: namespace === "" ? undefined : namespace,
      labelSelector: `${stamps.set}=${set}`,
    });
  } catch (error) {
    unread.set(placeOf(id), error instanceof Error ? error.message : String(error));
    return [];
  }
}

/** Kinds that Kubernetes controllers create for others, in the order of their owners. */
const behindWorkloads: readonly ObjectKind[] = [ReplicaSet, Job, Pod];
const workloads: ReadonlySet<string> = new Set([
  "apps/Deployment",
  "apps/ReplicaSet",
  "apps/StatefulSet",
  "apps/DaemonSet",
  "batch/Job",
  "batch/CronJob",
]);

async function readBehind(
  owned: readonly LiveObject[],
  options: ReadTreeOptions,
): Promise<readonly LiveObject[]> {
  const resources = owned.flatMap((object) => {
    const kind = options.kinds.find(
      ({ definition }) => definition.kind === object.kind && definition.group === groupOf(object.apiVersion),
    );
    return kind === undefined ? [] : [{ object, kind }];
  });
  const children = await readAll(
    resources,
    async ({ object, kind: { definition, children: childKinds } }) => {
      const selector = `${stamps.set}=${setOf(definition, object)}`;
      const { namespace } = object.metadata;
      return await readAll(childKinds, (kind) =>
        tryList(options.client, kind, { namespace, labelSelector: selector }),
      );
    },
  );
  const isWorkload = ({ apiVersion, kind }: LiveObject) => workloads.has(`${groupOf(apiVersion)}/${kind}`);
  const namespaces = new Set(
    [...owned, ...children].filter(isWorkload).map(({ metadata }) => metadata.namespace),
  );
  const lists = [...namespaces].flatMap((namespace) => behindWorkloads.map((kind) => ({ kind, namespace })));
  const made = await readAll(lists, ({ kind, namespace }) => tryList(options.client, kind, { namespace }));
  const uids = new Set(children.map(({ metadata }) => metadata.uid));
  return [...children, ...made.filter(({ metadata }) => !uids.has(metadata.uid))];
}

/** Objects that the user may not list are not shown below an object; the health of the object itself is. */
async function tryList(client: ApiClient, kind: ObjectKind, where: Where): Promise<readonly LiveObject[]> {
  try {
    return await listLive(client, kind, where);
  } catch {
    return [];
  }
}

interface Where {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
}

async function listLive(client: ApiClient, kind: ObjectKind, where: Where): Promise<readonly LiveObject[]> {
  return (await client.list(kind, where)).map((object) => toLiveObject(object));
}

/** Reads each of these; the results are in order. */
async function readAll<One, Found>(
  ones: readonly One[],
  read: (one: One) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  return (await inOrder(ones, read)).flat();
}
