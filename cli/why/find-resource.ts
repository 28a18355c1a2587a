import type { ObjectKind } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { StoredObject } from "../release/api-client.ts";
import type { ReleaseSession } from "../release/release-command.ts";
import type { ReleaseObject } from "../release/release-object.ts";

/** The resource to explain. */
export type Found =
  | { readonly release: ReleaseObject }
  | { readonly resource: StoredObject; readonly binding: SynthesizableKind };

/** A name that means no resource of ours. The message lists what there is. */
export class UnknownResourceError extends Error {
  override readonly name = "UnknownResourceError";
}

/**
 * The resource that `KIND/NAME` means. A kind may be written as kubectl takes it; a name without a kind is a Release's.
 *
 * @throws UnknownResourceError, UnknownReleaseError, or what the API server said.
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
  if (binding === undefined) {
    const known = [Release, ...kinds.map(({ definition }) => definition)].map(({ kind }) =>
      kind.toLowerCase(),
    );
    throw new UnknownResourceError(
      `Cannot explain "${text}": expected KIND/NAME, with KIND one of ${known.join(", ")}`,
    );
  }
  const { definition } = binding;
  const [first = "", second] = name.split("/");
  const place =
    second === undefined ? { namespace: session.namespace, name: first } : { namespace: first, name: second };
  const resource = await session.client.read(definition, definition.namespaced ? place : { name: first });
  if (resource !== undefined) return { resource, binding };
  const there = await session.client.list(definition, { namespace: place.namespace });
  const names = there.map(({ metadata }) => metadata.name).sort();
  const known =
    names.length === 0
      ? `there is no ${definition.kind} in namespace "${place.namespace}"`
      : `in namespace "${place.namespace}" there are ${names.slice(0, 20).join(", ")}`;
  throw new UnknownResourceError(`Cannot find ${definition.kind} "${place.name}": ${known}`);
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
