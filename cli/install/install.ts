import { Namespace } from "../../crds/core-kinds.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { FIELD_MANAGER, type InstallClient, type StoredObject } from "./install-client.ts";
import { installableKinds, kindOf, titleOf } from "./installable-kinds.ts";
import { diffOf } from "./object-diff.ts";
import { type InstallPlan, mayTakeOver } from "./plan-install.ts";
import { refuseLostVersions } from "./stored-versions.ts";
import { untilAvailable, untilEstablished } from "./wait-available.ts";

export interface InstallOptions {
  readonly client: InstallClient;
  readonly report: (line: string) => void;
  readonly dryRun: boolean;
  readonly force: boolean;
  /** Wait until the CRDs are established and the Deployment is available. */
  readonly wait: boolean;
  readonly timeoutMs: number;
}

/** Change of one object, or the planned change with `dryRun`. */
export interface Change {
  readonly did: "created" | "changed" | "unchanged" | "left" | "removed";
  readonly title: string;
  readonly note?: string;
  /** With `dryRun`, what would change in the object: a unified diff. */
  readonly diff?: string;
}

/**
 * Applies a plan to the cluster: CRDs, then the rest; then removes the objects that only an earlier installation had.
 * Nothing is written before the API server has validated as much as possible.
 *
 * @throws StoredVersionLostError, ForeignObjectError, UnknownKindError, FieldConflictError, NotInTimeError, or the error
 * of the API server.
 */
export async function install(plan: InstallPlan, options: InstallOptions): Promise<readonly Change[]> {
  const { client, report, dryRun, wait, timeoutMs } = options;
  const deadlineMs = performance.now() + timeoutMs;
  report("Reading the cluster's objects");
  const live = await readLive([...plan.definitions, ...plan.objects], client);
  for (const wanted of plan.definitions) refuseLostVersions(wanted, live.get(titleOf(wanted)));
  const isOurs = (object: KubernetesObject) => {
    const found = live.get(titleOf(object));
    return found === undefined || mayTakeOver(found, plan);
  };
  const [mine, others] = [plan.objects.filter(isOurs), plan.objects.filter((object) => !isOurs(object))];
  const left = others.map(
    (object): Change => ({ did: "left", title: titleOf(object), note: "it existed before the installation" }),
  );
  const checked = await checkAll([...plan.definitions, ...mine], live, options);
  if (dryRun) return [...left, ...checked, ...(await removeFormer(plan, options))];

  const waiting = { client, report, deadlineMs };
  const definitions = await applyAll(plan.definitions, live, options);
  if (wait) await untilEstablished(plan.definitions, waiting);
  const objects = await applyAll(mine, live, options);
  const deployment = plan.objects.find(({ kind }) => kind === "Deployment");
  if (wait && deployment !== undefined) await untilAvailable(deployment, waiting);
  // Only now: until its pods were replaced, the former installation needed these objects.
  return [...left, ...definitions, ...objects, ...(await removeFormer(plan, options))];
}

async function readLive(
  objects: readonly KubernetesObject[],
  client: InstallClient,
): Promise<ReadonlyMap<string, StoredObject>> {
  const reads = await Promise.allSettled(
    objects.map((object) => client.read(kindOf(object), object.metadata)),
  );
  const found = reads.map((read) => {
    // The first in order, not in time, so that the same cause always has the same message.
    if (read.status === "rejected") throw read.reason;
    return read.value;
  });
  return new Map(
    found.flatMap((object) => (object === undefined ? [] : [[titleOf(object), object] as const])),
  );
}

/**
 * Has the API server validate everything, and changes nothing. Objects in a namespace that does not exist yet cannot be
 * validated.
 */
async function checkAll(
  objects: readonly KubernetesObject[],
  live: ReadonlyMap<string, StoredObject>,
  options: InstallOptions,
): Promise<readonly Change[]> {
  const missing = await findMissingNamespaces(objects, options.client);
  const made = new Set(
    objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name),
  );
  const changes: Change[] = [];
  for (const object of objects) {
    const { namespace } = object.metadata;
    if (namespace === undefined || !missing.has(namespace)) {
      changes.push(await applyOne(object, live, { ...options, dryRun: true }));
      continue;
    }
    const title = titleOf(object);
    if (!made.has(namespace))
      throw new Error(`Cannot install ${title}: namespace "${namespace}" does not exist; create it first`);
    changes.push({ did: "created", title, note: "not checked: its namespace does not exist yet" });
  }
  return changes;
}

async function findMissingNamespaces(
  objects: readonly KubernetesObject[],
  client: InstallClient,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  for (const name of new Set(objects.map(({ metadata }) => metadata.namespace))) {
    if (name !== undefined && (await client.read(Namespace, { name })) === undefined) missing.add(name);
  }
  return missing;
}

async function applyAll(
  objects: readonly KubernetesObject[],
  live: ReadonlyMap<string, StoredObject>,
  options: InstallOptions,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const object of objects) changes.push(await applyOne(object, live, options));
  return changes;
}

async function applyOne(
  object: KubernetesObject,
  live: ReadonlyMap<string, StoredObject>,
  { client, report, dryRun, force }: InstallOptions,
): Promise<Change> {
  const title = titleOf(object);
  report(`${dryRun ? "Checking" : "Applying"}: ${title}`);
  const before = live.get(title);
  const after = await client.apply(object, { dryRun, force });
  if (before === undefined) return { did: "created", title };
  if (isSame(before, after)) return { did: "unchanged", title };
  return { did: "changed", title, ...(dryRun && { diff: diffOf(before, after) }) };
}

function isSame(before: StoredObject, after: StoredObject): boolean {
  return withoutBookkeeping(before) === withoutBookkeeping(after);
}

/** Without the fields that controllers write, and without the times and versions that differ in each dry run. */
function withoutBookkeeping({
  metadata: { managedFields: _, resourceVersion: __, ...metadata },
  ...object
}: StoredObject): string {
  return JSON.stringify({ ...object, metadata, status: undefined });
}

/** Objects that this installation no longer contains. A user's copy of one, including labels, does not belong to it. */
async function removeFormer(
  plan: InstallPlan,
  { client, report, dryRun }: InstallOptions,
): Promise<Change[]> {
  // With only CRDs, the rest is not reported.
  if (plan.objects.length === 0) return [];
  const wanted = new Set(plan.objects.map(titleOf));
  const removed: Change[] = [];
  for (const kind of installableKinds.toReversed()) {
    for (const object of await client.listOwn(kind, plan.installation)) {
      const { managedFields = [] } = object.metadata;
      const isOurs = managedFields.some(({ manager }) => manager === FIELD_MANAGER);
      if (wanted.has(titleOf(object)) || !isOurs || kind.kind === "Namespace") continue;
      report(`Removing: ${titleOf(object)}`);
      if (!dryRun) await client.delete(object, kind, "Background");
      removed.push({ did: "removed", title: titleOf(object) });
    }
  }
  return removed;
}
