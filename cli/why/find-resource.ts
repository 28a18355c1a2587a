import type { ObjectKind } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import { isBuiltInGroup } from "../../operator/engine/built-in-group.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { StoredObject } from "../release/api-client.ts";
import { readKinds } from "../release/read-kinds.ts";
import type { ReleaseSession } from "../release/release-command.ts";
import type { ReleaseObject } from "../release/release-object.ts";

/** The resource to explain. */
export type Found =
  | { readonly release: ReleaseObject }
  | { readonly resource: StoredObject; readonly binding: SynthesizableKind }
  /** The resource belongs to a kind that another program serves. */
  | { readonly resource: StoredObject; readonly kind: ObjectKind };

/** No resource has this name. The message lists the existing ones. */
export class UnknownResourceError extends Error {
  override readonly name = "UnknownResourceError";
}

/**
 * The resource that `KIND/NAME` means. A kind may be written as in kubectl; a name without a kind is a Release's.
 *
 * @throws UnknownResourceError, UnknownReleaseError, or the error of the API server.
 */
export async function findResource(
  text: string,
  { session, kinds }: { readonly session: ReleaseSession; readonly kinds: readonly SynthesizableKind[] },
): Promise<Found> {
  const slash = text.indexOf("/");
  if (slash === -1) return { release: await session.find(text) };
  const [kindName, name] = [text.slice(0, slash), text.slice(slash + 1)];
  if (matches(Release, kindName)) return { release: await session.find(name) };
  const binding = kinds.find(({ definition }) => matches(definition, kindName));
  const kind = binding?.definition ?? (await findServed(kindName, session));
  if (kind === undefined) {
    const known = [Release, ...kinds.map(({ definition }) => definition)].map((one) =>
      one.kind.toLowerCase(),
    );
    throw new UnknownResourceError(
      `Cannot explain "${text}": expected KIND/NAME, with KIND one of ${known.join(", ")}, or a custom kind of the cluster`,
    );
  }
  const resource = await readResource(name, kind, session);
  return binding === undefined ? { resource, kind } : { resource, binding };
}

/** @throws UnknownResourceError, or the error of the API server. */
async function readResource(text: string, kind: ObjectKind, session: ReleaseSession): Promise<StoredObject> {
  const [first = "", second] = text.split("/");
  const place =
    second === undefined ? { namespace: session.namespace, name: first } : { namespace: first, name: second };
  const resource = await session.client.read(kind, kind.namespaced ? place : { name: first });
  if (resource !== undefined) return resource;
  const where = kind.namespaced ? { namespace: place.namespace } : {};
  const names = (await session.client.list(kind, where)).map(({ metadata }) => metadata.name).sort();
  const inPlace = kind.namespaced ? `in namespace "${place.namespace}"` : "in the cluster";
  const known =
    names.length === 0
      ? `there is no ${kind.kind} ${inPlace}`
      : `${inPlace} there are ${names.slice(0, 20).join(", ")}`;
  throw new UnknownResourceError(`Cannot find ${kind.kind} "${place.name}": ${known}`);
}

/** The cluster's custom kind of this name. Fairlead does not reconcile the API server's built-in kinds. */
async function findServed(name: string, { transport }: ReleaseSession): Promise<ObjectKind | undefined> {
  const kinds = await readKinds(transport);
  return kinds
    .all()
    .find(
      (kind) =>
        !isBuiltInGroup(kind.group) && matches({ ...kind, singular: kind.kind, shortNames: [] }, name),
    );
}

interface NamedKind extends ObjectKind {
  readonly singular: string;
  readonly shortNames: readonly string[];
}

function matches(kind: NamedKind, text: string): boolean {
  const names = [kind.kind, kind.singular, kind.plural, ...kind.shortNames];
  const all = [...names, ...names.map((name) => `${name}.${kind.group}`)];
  return all.some((name) => name.toLowerCase() === text.toLowerCase());
}
