import type { LiveObject } from "../../../crds/object.ts";
import type { ReleaseSpec } from "../../../crds/release.ts";
import type { ObjectId } from "../../../synth/manifest.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import { RunMemory } from "../../engine/run-memory.ts";
import type { SourceCommit } from "../../git/source/ports.ts";
import type { Rendered } from "../../render/ports.ts";
import type { KnownDeployed } from "./deployed-revision.ts";
import type { HealthTurn } from "./health-times.ts";
import type { Limits } from "./limits.ts";
import type { PublishTarget } from "./publish-target.ts";

/** A state of a source, rendered and prepared. */
export interface Desired {
  /** The commit that identifies it: the newest one that changed one of its files. */
  readonly commit: SourceCommit;
  readonly head: SourceCommit;
  /** Git tree id of the source's folder. */
  readonly tree: string;
  readonly rendered: Rendered;
  readonly prepared: DesiredSet;
}

/** Returned by load: the spec of this generation with defaults, or why it is invalid. */
export interface KnownSpec {
  readonly generation: number | undefined;
  readonly raw: unknown;
  readonly value: ReleaseSpec | string;
}

/** Returned by the poll of the source. */
export interface KnownSource {
  /** Whether the source is unavailable, and this process has never read it. */
  readonly isLost: boolean;
  /** The last commit that was found, and the tree and the read paths for which it was found. */
  readonly commit: { readonly of: string; readonly value: SourceCommit } | undefined;
}

/** Returned by the check of manifests: the platform's last decision, and its input. */
export interface CheckedManifests {
  readonly prepared: DesiredSet;
  readonly limits: Limits;
  readonly actsAsOperator: boolean;
  /** Why the manifests may not be applied. */
  readonly message: string | undefined;
}

/** Returned by converge. */
export interface KnownObjects {
  /** Ensured namespaces that existed before. */
  readonly found: ReadonlyMap<ObjectId, LiveObject>;
  /** Recorded objects that exist or have existed, while late requests may still create others. */
  readonly seen: ReadonlySet<ObjectId>;
  /** When a write of this Release last failed that the server may still execute; monotonic clock. */
  readonly failedAtMs: number | undefined;
}

/** Returned by judge: the state of a withheld status. */
export interface Withheld {
  /** Since when the status is withheld because it may improve soon; monotonic clock. */
  readonly sinceMs: number | undefined;
  /** Whether the last written status already reports progress. */
  readonly isProgressTold: boolean;
  /** Whether a wait for the render is included. The time is counted again from its start, but only once. */
  readonly isFetched: boolean;
}

/**
 * The memory about one Release between its runs. It is lost at a restart. Each part is returned by one step, and read by the
 * same step of the next run. Dependents also read `applied` and `source`.
 */
export interface Remembered {
  readonly uid: string;
  readonly spec: KnownSpec | undefined;
  readonly source: KnownSource;
  readonly checked: CheckedManifests | undefined;
  readonly objects: KnownObjects;
  /** Returned by judge: the last fully applied state, and its generation. */
  readonly applied: (Desired & { readonly generation: number | undefined }) | undefined;
  /** Returned by judge: the deployed state of the source's folder. */
  readonly deployed: KnownDeployed | undefined;
  /** Returned by publishing: the location. */
  readonly target: PublishTarget | undefined;
  /** Returned by judge: the digest of the last render whose warnings were reported. */
  readonly warned: string | undefined;
  readonly withheld: Withheld;
  /**
   * Returned by judge: the last state of the objects. Undefined: they have not been assessed yet, or are not observed.
   */
  readonly turn: HealthTurn | undefined;
}

/** The memory about all Releases. */
export class ReleaseMemory extends RunMemory<Remembered> {}

/** The memory about a Release before its first run. Pure. */
export function emptyMemory(uid: string): Remembered {
  return {
    uid,
    spec: undefined,
    source: { isLost: false, commit: undefined },
    checked: undefined,
    objects: { found: new Map(), seen: new Set(), failedAtMs: undefined },
    applied: undefined,
    deployed: undefined,
    target: undefined,
    warned: undefined,
    withheld: { sinceMs: undefined, isProgressTold: false, isFetched: false },
    turn: undefined,
  };
}

/** Replaces parts of the memory. Returns the identical object if none of them has changed. Pure. */
export function remember(memory: Remembered, parts: Partial<Omit<Remembered, "uid">>): Remembered {
  const names = Object.keys(parts) as (keyof typeof parts)[];
  return names.every((name) => memory[name] === parts[name]) ? memory : { ...memory, ...parts };
}

/** Replaces parts of the memory in a Release, or in the part of one that a step uses. Pure. */
export function withMemory<Release extends { readonly memory: Remembered }>(
  release: Release,
  parts: Partial<Omit<Remembered, "uid">>,
): Release {
  const memory = remember(release.memory, parts);
  return memory === release.memory ? release : { ...release, memory };
}
