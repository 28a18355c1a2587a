import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { Release, type ReleaseResource, type ReleaseSpec } from "../../../crds/release.ts";
import { isSameJson } from "../../../synth/same-json.ts";
import { setOf } from "../../../synth/stamp.ts";
import type { Impersonation, ObjectStore } from "../../ports.ts";
import type { Limits, Platform, SelectedRules } from "./limits.ts";
import { emptyMemory, type KnownSpec, type Remembered, withMemory } from "./release-memory.ts";

/** The input of one run, read without requests. */
export interface LoadedRelease {
  readonly key: string;
  /** The Release, with defaults in its spec. An invalid spec must not be used. */
  readonly resource: ReleaseResource;
  /** Why the spec is invalid. */
  readonly invalid: string | undefined;
  /** Id of the set of objects that the Release owns. */
  readonly set: string;
  /** The account whose permissions apply; undefined: the operator's. */
  readonly who: Impersonation | undefined;
  /** Limits set by the platform; unknown while `undecided`. */
  readonly limits: Limits;
  /** Why the limits are unknown; `pending`: they will be known soon. */
  readonly undecided: Exclude<SelectedRules, { readonly state: "known" }> | undefined;
  /** The memory of earlier runs, with the results of this run. */
  readonly memory: Remembered;
}

export interface LoadReleaseOptions {
  readonly releases: ObjectStore;
  /** The memory of earlier runs of a Release with this uid. */
  readonly remembered: (uid: string) => Remembered | undefined;
  readonly platform: Platform;
}

/** Reads a Release from the local copy. Undefined: it was deleted. */
export function loadRelease(
  key: string,
  { releases, remembered, platform }: LoadReleaseOptions,
): LoadedRelease | undefined {
  const live = releases.get(key);
  if (live === undefined) return undefined;
  const { uid } = live.metadata;
  const before = remembered(uid) ?? emptyMemory(uid);
  const known = specOf(live, before.spec);
  const { value: spec } = known;
  const invalid = typeof spec === "string" ? spec : undefined;
  // The CRD's schema rejects an invalid spec, but the CRD in the cluster may be older than the operator.
  const resource = (typeof spec === "string" ? live : { ...live, spec }) as ReleaseResource;
  // Select the rules even for an invalid spec, so that no request is sent with more permissions than the rules allow.
  const rules = platform.select(live);
  const limits = rules.state === "known" ? rules.limits : [];
  const loaded = {
    key: keyOf(live),
    resource,
    invalid,
    set: setOf(Release, live),
    who: accountOf(live as AccountableRelease, limits),
    limits,
    undecided: rules.state === "known" ? undefined : rules,
    memory: before,
  };
  return withMemory(loaded, { spec: known });
}

/** The part of a Release that determines its permissions. Its spec may be invalid. */
interface AccountableRelease {
  readonly metadata: { readonly namespace?: string | undefined };
  readonly spec?:
    | { readonly target?: Partial<Pick<ReleaseSpec["target"], "serviceAccountName">> }
    | undefined;
}

/**
 * The account whose permissions apply to all requests for a Release, including deletions: its ServiceAccount, or the
 * default of the first rule that has one. Pure.
 *
 * @param limits Sorted by the names of the policies.
 * @returns Undefined: the operator's own permissions.
 */
export function accountOf({ metadata, spec }: AccountableRelease, limits: Limits): Impersonation | undefined {
  const byRule = limits.find(({ rule }) => rule.serviceAccountName !== undefined)?.rule.serviceAccountName;
  const serviceAccountName = spec?.target?.serviceAccountName ?? byRule;
  if (serviceAccountName === undefined) return undefined;
  return { namespace: metadata.namespace ?? "", serviceAccountName };
}

function specOf(live: LiveObject, known: KnownSpec | undefined): KnownSpec {
  const { generation } = live.metadata;
  const raw = live["spec"];
  // After a change of the Release's CRD, the same generation may have other fields.
  const isKnown =
    known !== undefined &&
    known.generation === generation &&
    generation !== undefined &&
    isSameJson(known.raw, raw);
  if (!isKnown) return { generation, raw, value: parse(live) };
  // Refer to the object in the store, so that no other copy stays in memory.
  return known.raw === raw ? known : { ...known, raw };
}

function parse(live: LiveObject): ReleaseSpec | string {
  const { success, data, error } = Release.spec.safeParse(live["spec"] ?? {});
  if (success) return data;
  const [issue] = error.issues;
  return `spec${issue === undefined ? "" : `.${issue.path.join(".")}: ${issue.message}`}`;
}
