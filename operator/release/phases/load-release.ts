import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { Release, type ReleaseResource, type ReleaseSpec } from "../../../crds/release.ts";
import { setOf } from "../../../synth/stamp.ts";
import type { ObjectStore } from "../../ports.ts";
import type { Limits } from "../core/limits.ts";
import type { Impersonation } from "../ports.ts";
import type { ReleaseMemory, Remembered } from "./release-memory.ts";

/** What one run starts from: nothing here was asked of anybody. */
export interface LoadedRelease {
  readonly key: string;
  /** Its spec is completed by defaults; of a spec that is not valid nothing may be believed. */
  readonly resource: ReleaseResource;
  /** Why the spec cannot be used. */
  readonly invalid: string | undefined;
  /** Id of the set of objects that the Release owns. */
  readonly set: string;
  /** Whose rights count; undefined: the operator's. */
  readonly who: Impersonation | undefined;
  /** What the platform allows it. */
  readonly limits: Limits;
  readonly memory: Remembered;
}

export interface LoadReleaseOptions {
  readonly releases: ObjectStore;
  readonly memory: ReleaseMemory;
  /** What the platform allows a Release. */
  readonly limitsOf: (release: LiveObject) => Limits;
}

/** Reads a Release from the local copy. Undefined: it is gone. */
export function loadRelease(
  key: string,
  { releases, memory, limitsOf }: LoadReleaseOptions,
): LoadedRelease | undefined {
  const live = releases.get(key);
  if (live === undefined) return undefined;
  const remembered = memory.of(key, live.metadata.uid);
  const spec = specOf(live, remembered);
  const invalid = typeof spec === "string" ? spec : undefined;
  // The CRD's schema lets nothing else in; still, its rules may be older than ours.
  const resource = (typeof spec === "string" ? live : { ...live, spec }) as ReleaseResource;
  // Also of a spec that is not valid: nothing is ever done with more rights than it asks for.
  const { target } = (live["spec"] ?? {}) as { readonly target?: Partial<ReleaseSpec["target"]> };
  const serviceAccountName = target?.serviceAccountName;
  const namespace = live.metadata.namespace ?? "";
  return {
    key: keyOf(live),
    resource,
    invalid,
    set: setOf(Release, live),
    who: serviceAccountName === undefined ? undefined : { namespace, serviceAccountName },
    limits: limitsOf(live),
    memory: remembered,
  };
}

function specOf(live: LiveObject, memory: Remembered): ReleaseSpec | string {
  const { generation } = live.metadata;
  if (memory.spec?.generation !== generation || generation === undefined)
    memory.spec = { generation, value: parse(live) };
  return memory.spec?.value ?? "";
}

function parse(live: LiveObject): ReleaseSpec | string {
  const { success, data, error } = Release.spec.safeParse(live["spec"] ?? {});
  if (success) return data;
  const [issue] = error.issues;
  return `spec${issue === undefined ? "" : `.${issue.path.join(".")}: ${issue.message}`}`;
}
