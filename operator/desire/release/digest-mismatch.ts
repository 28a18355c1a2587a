import type { ReleaseResource } from "../../../crds/release.ts";
import { shortId } from "../../../crds/short-id.ts";
import type { KindCatalog } from "../../cluster/found-kinds/ports.ts";
import type { ApplyOutcome } from "../../engine/outcome.ts";
import type { LoadedRelease } from "./load-release.ts";
import { stageOf } from "./pipeline-pin.ts";
import type { Desired } from "./release-memory.ts";

/**
 * Compares the digest of the pinned commit's manifests with the digest in the spec. They may differ, for example because
 * another version of the operator renders the commit differently; then it is not applied. Undefined: they are equal, or the
 * spec has no digest.
 */
export function findDigestMismatch(
  { key, resource }: Pick<LoadedRelease, "key"> & { readonly resource: Pick<ReleaseResource, "spec"> },
  { prepared, head }: Pick<Desired, "prepared" | "head">,
  { catalog }: { readonly catalog: Pick<KindCatalog, "ask"> },
): ApplyOutcome | undefined {
  const { revision, digest } = resource.spec;
  if (revision === undefined || digest === undefined || digest === prepared.digest) return undefined;
  // The namespaces of objects depend on their kinds. The digest is not final until all kinds are known.
  const isOpen = prepared.objects.some(({ kind, manifest }) => {
    if (kind !== undefined) return false;
    const { state } = catalog.ask(manifest.apiVersion, manifest.kind, key);
    return state === "pending" || state === "known";
  });
  if (isOpen) return { state: "retry" };
  const message =
    `The manifests of commit ${shortId(head.id)} have the digest ${prepared.digest}, but spec.digest is ${digest}. ` +
    `Nothing is applied. ${describeAction(resource.spec)}, or pin another commit`;
  return { state: "refused", reason: "DigestMismatch", message };
}

/** How to deploy the pinned commit with its new digest. Pure. */
function describeAction(spec: ReleaseResource["spec"]): string {
  const { revision, next } = spec;
  const plan = next?.revision === undefined || next.revision === revision ? "plan in status.next" : "plan";
  return stageOf(spec) === undefined
    ? `Set spec.digest to that of the new ${plan}`
    : `Approve the new ${plan}`;
}
