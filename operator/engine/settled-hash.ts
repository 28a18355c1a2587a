import type { LiveObject } from "../../crds/object.ts";
import { digestOf, toCanonicalJson } from "../../synth/digest.ts";

/**
 * A hash over everything of a live object that an apply may change. An object that an apply did not bring closer to its
 * manifest is remembered with this hash, and applied again only when it changes: the server rewrites some fields in ways
 * that no comparison can predict. Without status, resourceVersion and managedFields, which change by themselves.
 */
export function settledHash({
  status: _status,
  ours: _ours,
  addedFields: _added,
  metadata,
  ...rest
}: LiveObject): string {
  const { resourceVersion: _resourceVersion, ...identity } = metadata;
  return digestOf(toCanonicalJson({ ...rest, metadata: identity }));
}
