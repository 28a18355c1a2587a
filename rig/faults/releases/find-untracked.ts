import { Release } from "../../../crds/release.ts";
import type { SeenResource } from "../../../test/cluster/harness.ts";
import type { SeenObject } from "../api.ts";
import { whyNotReady } from "../ready.ts";
import { deployedKinds, keyOf } from "./desired-releases.ts";
import { type ReleaseName, releaseNames } from "./points.ts";
import type { ReleaseFixture } from "./release-fixture.ts";

/** The differences from the desired state. Empty: there is none, and a Release tracks every object. */
export async function findUntracked({ shared, places, desired }: ReleaseFixture): Promise<readonly string[]> {
  const releases = (await shared.api.list(Release, places.own)) as readonly SeenResource[];
  const expected = desired.expected(places);
  const found = releases.flatMap((release) => findInRelease(release, desired.releases));
  for (const name of desired.releases)
    if (!releases.some(({ metadata }) => metadata.name === name)) found.push(`Release ${name} is missing`);
  const missing = new Map(expected);
  const objects = await listObjects(places, shared.api);
  const uids = new Set(objects.map(({ object }) => object.metadata.uid));
  for (const { key, object } of objects) {
    const wanted = expected.get(key);
    missing.delete(key);
    if (wanted === undefined) {
      // The garbage collector deletes the objects of a Stamp with it.
      const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === "Stamp");
      if (owner === undefined) found.push(`no Release tracks ${key}: ${labelsOf(object)}`);
      else if (!uids.has(owner.uid)) found.push(`${key} was not garbage-collected`);
    } else found.push(...findInObject(key, object, wanted.version));
  }
  found.push(...[...missing.keys()].map((key) => `${key} is missing`));
  if (found.length > 0) return found;
  return releases.flatMap((release) => findInInventory(release, expected));
}

/** Lists all objects that the operator or a user of the fixture could have created. */
async function listObjects(
  { own, elsewhere }: ReleaseFixture["places"],
  api: ReleaseFixture["shared"]["api"],
): Promise<readonly { key: string; object: SeenObject }[]> {
  const lists = Object.entries(deployedKinds).flatMap(([name, kind]) =>
    [own, elsewhere].map(async (namespace) => {
      const objects = (await api.list(kind, namespace)).filter(({ metadata }) =>
        releaseNames.some((release) => metadata.name.startsWith(`${release}-`)),
      );
      return objects.map((object) => ({ key: keyOf(name, namespace, object.metadata.name), object }));
    }),
  );
  return (await Promise.all(lists)).flat();
}

function findInRelease(release: SeenResource, wanted: ReadonlySet<string>): string[] {
  const { metadata, status } = release;
  const { name, deletionTimestamp } = metadata;
  if (!wanted.has(name as ReleaseName))
    return [`Release ${name} should have been deleted: ${readyOf(status)}`];
  if (deletionTimestamp !== undefined) return [`Release ${name} is terminating: ${readyOf(status)}`];
  return whyNotReady(release) === undefined ? [] : [`Release ${name} is not Ready: ${readyOf(status)}`];
}

function readyOf(status: SeenResource["status"]): string {
  return (
    status?.conditions
      ?.filter(({ status: word }) => word !== "True")
      .map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
      .join("; ") ?? "no status"
  );
}

function findInObject(key: string, { metadata }: SeenObject, version: number): string[] {
  if (metadata.deletionTimestamp !== undefined) return [`${key} is terminating`];
  const has = metadata.annotations?.["tests.fairlead.dev/version"];
  if (has !== String(version)) return [`${key} has version ${has}, not ${version}`];
  return metadata.labels?.["fairlead.dev/set"] === undefined ? [`${key} has no label of a set`] : [];
}

/** Differences between the inventory in the status and the objects of a Release. */
function findInInventory(
  { metadata, status }: SeenResource,
  expected: ReadonlyMap<string, { readonly release: ReleaseName }>,
): string[] {
  const { entries = [] } = (status?.["inventory"] ?? {}) as { readonly entries?: readonly string[] };
  const has = new Set(entries.map((entry) => entry.slice(entry.indexOf("/") + 1)));
  const wanted = [...expected].filter(([, { release }]) => release === metadata.name).map(([key]) => key);
  const title = `the inventory of Release ${metadata.name}`;
  return [
    ...wanted.filter((key) => !has.has(key)).map((key) => `${title} lacks ${key}`),
    ...[...has].filter((key) => !wanted.includes(key)).map((key) => `${title} has ${key}`),
  ];
}

function labelsOf({ metadata }: SeenObject): string {
  return JSON.stringify({ labels: metadata.labels, deletionTimestamp: metadata.deletionTimestamp });
}
