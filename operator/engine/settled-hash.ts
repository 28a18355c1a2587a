import type { LiveObject } from "../../crds/object.ts";
import { digestOf, toCanonicalJson } from "../../synth/digest.ts";

/**
 * Hash of all parts of a live object that an apply may change. If an object still differs from its manifest after an apply,
 * its hash is stored, and it is applied again only when the hash changes: the server changes some fields in ways that a
 * comparison cannot predict. The hash excludes status, resourceVersion and managedFields, which change without an apply.
 */
export function settledHash({
  status: _status,
  ours: _ours,
  addedFields: _added,
  addedAt: _addedAt,
  metadata,
  ...rest
}: LiveObject): string {
  const { resourceVersion: _resourceVersion, ...identity } = metadata;
  return digestOf(toCanonicalJson({ ...rest, metadata: identity }));
}
