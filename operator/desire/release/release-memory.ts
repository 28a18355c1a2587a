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

/** The rendered and prepared state of a source. */
export interface Desired {
  /** The commit by which it is identified: the newest that changed one of its files. */
  readonly commit: SourceCommit;
  readonly head: SourceCommit;
  /** Tree of the source's folder. */
  readonly tree: string;
  readonly rendered: Rendered;
  readonly prepared: DesiredSet;
}

/** Returned by load: the spec as its schema completes it, of this generation, or why it is not valid. */
export interface KnownSpec {
  readonly generation: number | undefined;
  readonly raw: unknown;
  readonly value: ReleaseSpec | string;
}

/** Returned by the poll of the source. */
export interface KnownSource {
  /** The source is unavailable, and this process never had its state. */
  readonly isLost: boolean;
  /** The last commit that was found for a tree and the paths that were read of it. */
  readonly commit: { readonly of: string; readonly value: SourceCommit } | undefined;
}

/** Returned by the check of manifests: the platform's last decision, and its input. */
export interface CheckedManifests {
  readonly prepared: DesiredSet;
  readonly limits: Limits;
  readonly actsAsOperator: boolean;
  /** Why they may not be applied. */
  readonly message: string | undefined;
}

/** Returned by converge. */
export interface KnownObjects {
  /** Namespaces to be ensured that existed already. */
  readonly found: ReadonlyMap<ObjectId, LiveObject>;
  /** Recorded objects that exist or existed, while others may still arrive. */
  readonly seen: ReadonlySet<ObjectId>;
  /** When a write of this Release last failed that may nevertheless be executed; monotonic clock. */
  readonly failedAtMs: number | undefined;
}

/** Returned by judge: since when a status is withheld. */
export interface Withheld {
  /** Since when the status is withheld because it may improve soon; monotonic clock. */
  readonly sinceMs: number | undefined;
  /** The last written status says that it is in progress. */
  readonly isProgressTold: boolean;
}

/**
 * The memory of one Release between its runs. It may be lost at a restart. Each part is returned by one step, and
 * read by the same step of the next run; `applied` and `source` also decide what dependents wait for.
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
  /** Returned by publishing: where it is published. */
  readonly target: PublishTarget | undefined;
  /** Returned by judge: the digest of the last render whose warnings were reported. */
  readonly warned: string | undefined;
  readonly withheld: Withheld;
  /**
   * Returned by judge: the last state of the objects. Undefined: they have not been assessed yet, or were not observed
   * since.
   */
  readonly turn: HealthTurn | undefined;
}

/** The memory of all Releases. */
export class ReleaseMemory extends RunMemory<Remembered> {}

/** The memory of a Release before its first run. Pure. */
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
    withheld: { sinceMs: undefined, isProgressTold: false },
    turn: undefined,
  };
}

/** The memory with these parts replaced; the identical object if none of them has changed. Pure. */
export function remember(memory: Remembered, parts: Partial<Omit<Remembered, "uid">>): Remembered {
  const names = Object.keys(parts) as (keyof typeof parts)[];
  return names.every((name) => memory[name] === parts[name]) ? memory : { ...memory, ...parts };
}

/** A Release, or any step's view of one, with these parts in its memory. Pure. */
export function withMemory<Release extends { readonly memory: Remembered }>(
  release: Release,
  parts: Partial<Omit<Remembered, "uid">>,
): Release {
  const memory = remember(release.memory, parts);
  return memory === release.memory ? release : { ...release, memory };
}
