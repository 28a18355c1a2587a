import { keyOf, type LiveObject } from "../../../crds/object.ts";
import { Release, type ReleaseResource, type ReleaseSpec } from "../../../crds/release.ts";
import { isSameJson } from "../../../synth/same-json.ts";
import { setOf } from "../../../synth/stamp.ts";
import type { Impersonation, ObjectStore } from "../../ports.ts";
import { type AccountableRelease, accountOf } from "./account-of.ts";
import type { Limits, Platform, SelectedRules } from "./limits.ts";
import { emptyMemory, type KnownSpec, type Remembered, withMemory } from "./release-memory.ts";

/** Input of one run, without requests. */
export interface LoadedRelease {
  readonly key: string;
  /** Its spec is completed by defaults; an invalid spec must not be trusted. */
  readonly resource: ReleaseResource;
  /** Why the spec cannot be used. */
  readonly invalid: string | undefined;
  /** Id of the set of objects that the Release owns. */
  readonly set: string;
  /** The account whose permissions apply; undefined: the operator's. */
  readonly who: Impersonation | undefined;
  /** Limits by the platform; unknown while `undecided`. */
  readonly limits: Limits;
  /** Why the permissions of the platform cannot be determined; `pending`: they soon can be. */
  readonly undecided: Exclude<SelectedRules, { readonly state: "known" }> | undefined;
  /** The memory of earlier runs, with the additions of this run. */
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
  // The CRD's schema accepts nothing else; but its rules may be older than the operator's.
  const resource = (typeof spec === "string" ? live : { ...live, spec }) as ReleaseResource;
  // Also for an invalid spec: no request is ever sent with more permissions than it specifies.
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

function specOf(live: LiveObject, known: KnownSpec | undefined): KnownSpec {
  const { generation } = live.metadata;
  const raw = live["spec"];
  // One generation may show other fields after the Release's own definition has changed.
  const isKnown =
    known !== undefined &&
    known.generation === generation &&
    generation !== undefined &&
    isSameJson(known.raw, raw);
  if (!isKnown) return { generation, raw, value: parse(live) };
  // The object that the store holds now, so that no other is kept in memory.
  return known.raw === raw ? known : { ...known, raw };
}

function parse(live: LiveObject): ReleaseSpec | string {
  const { success, data, error } = Release.spec.safeParse(live["spec"] ?? {});
  if (success) return data;
  const [issue] = error.issues;
  return `spec${issue === undefined ? "" : `.${issue.path.join(".")}: ${issue.message}`}`;
}
