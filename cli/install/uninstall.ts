import { INSTALLATION_LABEL, OPERATOR_NAME } from "../../charts/installation.ts";
import { Approval } from "../../crds/approval.ts";
import {
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  Job,
  Lease,
  PersistentVolumeClaim,
  StatefulSet,
} from "../../crds/core-kinds.ts";
import { Freeze } from "../../crds/freeze.ts";
import { standardLabels } from "../../crds/names.ts";
import { groupKindOf, type ObjectKind } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { ReleasePolicy } from "../../crds/release-policy.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { FIELD_MANAGER, type InstallClient, type StoredObject } from "./install-client.ts";
import { installableKinds, titleOf } from "./installable-kinds.ts";
import { type RemainingResources, removeResources } from "./remove-resources.ts";
import { type WaitUntilOptions, waitUntil } from "./wait-until.ts";

export interface UninstallOptions {
  readonly kinds: readonly SynthesizableKind[];
  readonly client: InstallClient;
  /** Value of the installation's label. */
  readonly installation: string;
  readonly name: string;
  readonly namespace: string;
  readonly timeoutMs: number;
}

/** An object that is not removed, and why. */
export interface Kept {
  readonly title: string;
  readonly why: string;
}

/** Objects of an installation in the cluster. */
export interface Found {
  /** In the order of removal. */
  readonly objects: readonly (readonly [StoredObject, ObjectKind])[];
  /** CRDs that `fairlead install` created, and that no other installation needs. */
  readonly definitions: readonly StoredObject[];
  /** Resources of these CRDs. */
  readonly resources: readonly RemainingResources[];
  /** CRDs that are not removed. */
  readonly kept: readonly Kept[];
}

/** Finds everything that belongs to an installation. Changes nothing. */
export async function findInstallation(
  options: UninstallOptions,
  { keepCrds }: { readonly keepCrds: boolean },
): Promise<Found> {
  const { kinds, client, installation } = options;
  const objects: (readonly [StoredObject, ObjectKind])[] = [];
  for (const kind of installableKinds.toReversed()) {
    for (const object of await client.listOwn(kind, installation)) objects.push([object, kind]);
  }
  if (keepCrds) return { objects, definitions: [], resources: [], kept: [] };
  const operators = await client.list(Deployment, `${standardLabels.name}=${OPERATOR_NAME}`);
  const other = operators.find(({ metadata }) => metadata.labels?.[INSTALLATION_LABEL] !== installation);
  if (other !== undefined) {
    const kept = [{ title: "the CustomResourceDefinitions", why: `${titleOf(other)} also needs them` }];
    return { objects, definitions: [], resources: [], kept };
  }
  const definitions: StoredObject[] = [];
  const kept: Kept[] = [];
  const resources: RemainingResources[] = [];
  // Releases first: their objects may be resources of the other kinds. Their policies apply until they are deleted.
  const dataKinds = [ReleasePolicy, Approval, Freeze];
  for (const definition of [Release, ...kinds.map((kind) => kind.definition), ...dataKinds]) {
    const name = groupKindOf(definition);
    const live = await client.read(CustomResourceDefinition, { name });
    if (live === undefined) continue;
    if (!isOurs(live)) {
      kept.push({ title: titleOf(live), why: "fairlead install did not create it" });
      continue;
    }
    definitions.push(live);
    const remaining = await client.list(definition);
    if (remaining.length > 0) resources.push({ kind: definition, resources: remaining });
  }
  return { objects, definitions, resources, kept };
}

function isOurs({ metadata: { managedFields = [] } }: StoredObject): boolean {
  return managedFields.some(({ manager, operation }) => manager === FIELD_MANAGER && operation === "Apply");
}

/**
 * Removes what was found, and waits until it is deleted: resources first, while the operator still runs and can clean up
 * after them; then CRDs, then the operator, its permissions once its pods have ended, and the namespace.
 *
 * @returns Remaining objects, and why.
 * @throws NotInTimeError that names the objects that are not deleted in time.
 */
export async function uninstall(
  found: Found,
  { report, ...options }: UninstallOptions & { readonly report: (line: string) => void },
): Promise<readonly Kept[]> {
  const { client, name, namespace } = options;
  const waiting = { deadlineMs: performance.now() + options.timeoutMs, report };
  await removeResources(found.resources, { client, ...waiting });
  const definitions = found.definitions.map((object) => [object, CustomResourceDefinition] as const);
  await removeAll(definitions, client, waiting);
  const isNamespace = ([{ kind }]: Found["objects"][number]) => kind === "Namespace";
  const isDeployment = ([{ kind }]: Found["objects"][number]) => kind === "Deployment";
  await removeAll(found.objects.filter(isDeployment), client, waiting);
  const lease = await client.read(Lease, { name, namespace });
  const rest = found.objects.filter((one) => !isDeployment(one) && !isNamespace(one));
  const isInstalled = found.objects.length > 0;
  const leases = isInstalled && lease !== undefined ? [[lease, Lease] as const] : [];
  await removeAll([...rest, ...leases], client, waiting);
  const kept = [...found.kept];
  for (const one of found.objects.filter(isNamespace)) {
    const inhabitant = await findInhabitant(one[0].metadata.name, options);
    if (inhabitant === undefined) await removeAll([one], client, waiting);
    else kept.push({ title: titleOf(one[0]), why: `it contains ${inhabitant}` });
  }
  return kept;
}

async function removeAll(
  objects: Found["objects"],
  client: InstallClient,
  waiting: WaitUntilOptions,
): Promise<void> {
  for (const [object, kind] of objects) {
    waiting.report(`Removing: ${titleOf(object)}`);
    await client.delete(object, kind, kind === Deployment ? "Foreground" : "Background");
  }
  const there = new Map(objects.map((one) => [one[0].metadata.uid, one]));
  await waitUntil(async () => {
    for (const [uid, [{ metadata }, kind]] of there) {
      const live = await client.read(kind, metadata);
      if (live?.metadata.uid !== uid) there.delete(uid);
    }
    return there.size === 0
      ? undefined
      : `Waiting for ${[...there.values()].map(([object]) => titleOf(object)).join(", ")} to be deleted`;
  }, waiting);
}

/** An object of another owner that would be deleted with the namespace. */
async function findInhabitant(
  namespace: string,
  { client, kinds, installation }: UninstallOptions,
): Promise<string | undefined> {
  const workloads = [Deployment, StatefulSet, DaemonSet, Job, PersistentVolumeClaim];
  for (const kind of [...workloads, ...kinds.map(({ definition }) => definition)]) {
    const inhabitant = (await client.list(kind)).find(
      ({ metadata }) =>
        metadata.namespace === namespace && metadata.labels?.[INSTALLATION_LABEL] !== installation,
    );
    if (inhabitant !== undefined) return titleOf(inhabitant);
  }
  return undefined;
}
