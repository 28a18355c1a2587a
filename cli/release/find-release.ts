import { Release } from "../../crds/release.ts";
import type { ApiClient } from "./api-client.ts";
import { labelOfRelease, type ReleaseObject } from "./release-object.ts";

/** A name without a matching Release, or with several. The message lists the existing ones. */
export class UnknownReleaseError extends Error {
  override readonly name = "UnknownReleaseError";
}

const mostListed = 20;

/**
 * Finds the Release of a name, a prefix of one, or `namespace/name`.
 *
 * @throws UnknownReleaseError, or the error of the API server.
 */
export async function findRelease(
  text: string,
  { client, namespace: preset }: { readonly client: ApiClient; readonly namespace: string },
): Promise<ReleaseObject> {
  const slash = text.indexOf("/");
  const [namespace, name] = slash === -1 ? [preset, text] : [text.slice(0, slash), text.slice(slash + 1)];
  if (name === "" || namespace === "")
    throw new UnknownReleaseError(`Cannot find Release "${text}": expected a name, or namespace/name`);
  const exact = await client.read(Release, { namespace, name });
  if (exact !== undefined) return exact as ReleaseObject;
  const there = (await client.list(Release, { namespace })) as readonly ReleaseObject[];
  const begun = there.filter(({ metadata }) => metadata.name.startsWith(name));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    const names = listNames(begun.map(({ metadata }) => metadata.name));
    throw new UnknownReleaseError(
      `Cannot determine which Release "${name}" refers to in namespace "${namespace}": ${names}`,
    );
  }
  const names = there.map(({ metadata }) => metadata.name);
  const known =
    names.length === 0
      ? `there is no Release in namespace "${namespace}"`
      : `in namespace "${namespace}" there are ${listNames(names)}`;
  const elsewhere = await findElsewhere(name, client);
  const hint =
    elsewhere.length === 0
      ? ""
      : `; elsewhere there are ${listNames(elsewhere)}: use --namespace, or the full name`;
  throw new UnknownReleaseError(`Cannot find Release "${name}": ${known}${hint}`);
}

/** Releases with the same name in other namespaces, for users who may list them. */
async function findElsewhere(name: string, client: ApiClient): Promise<readonly string[]> {
  try {
    const all = (await client.list(Release, {})) as readonly ReleaseObject[];
    return all.filter(({ metadata }) => metadata.name === name).map(labelOfRelease);
  } catch {
    return [];
  }
}

function listNames(names: readonly string[]): string {
  const listed = names.toSorted().slice(0, mostListed);
  const more = names.length - listed.length;
  return `${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
