import type { LiveObject } from "../../../crds/object.ts";
import type { ReleaseSpec } from "../../../crds/release.ts";
import type { ObjectId } from "../../../synth/manifest.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import type { SourceCommit, SourceRequest } from "../../git/source/ports.ts";
import type { Rendered } from "../../render/ports.ts";
import type { KnownDeployed } from "./deployed-revision.ts";
import type { Limits } from "./limits.ts";

import type { PublishTarget } from "./publish-target.ts";

/** The rendered and prepared state of a source. */
export interface Desired {
  /** The commit that it is called by: the newest that changed what it is made of. */
  readonly commit: SourceCommit;
  readonly head: SourceCommit;
  /** Tree of the source's folder. */
  readonly tree: string;
  readonly rendered: Rendered;
  readonly prepared: DesiredSet;
}

/** Memory of one process about one Release between two runs. It may be lost at a restart. */
export interface Remembered {
  readonly uid: string;
  /** The spec as its schema completes it, of this generation. */
  spec?: { readonly generation: number | undefined; raw: unknown; readonly value: ReleaseSpec | string };
  /** Last request to the source; dependents of this Release use the same. */
  request?: SourceRequest;
  /** Last fully applied state, and its generation. */
  applied?: Desired & { readonly generation: number | undefined };
  /** The source cannot be had, and this process never had it. */
  isSourceLost?: boolean;
  /** Deployed state of the source's folder. */
  deployed?: KnownDeployed;
  /** The last commit that was found for a tree and what was read of it. */
  commit?: { readonly of: string; readonly value: SourceCommit };
  /** Namespaces that were there already when we were to see to it that there is one. */
  readonly found: Map<ObjectId, LiveObject>;
  /** Recorded objects that exist or existed, while others may still arrive. */
  readonly seen: Set<ObjectId>;
  /** When a write of this Release failed last, and may have been carried out all the same; monotonic clock. */
  failedAtMs?: number;
  /** Last decision of the platform about manifests, and their digest. */
  checked?: {
    readonly prepared: DesiredSet;
    readonly limits: Limits;
    readonly actsAsOperator: boolean;
    readonly message: string | undefined;
  };
  /** Where it is published. */
  target?: PublishTarget;
  /** When the status began to be kept back because it may be a better one soon; monotonic clock. */
  parkedSinceMs?: number | undefined;
  /** The status that was written last says that it is on its way. */
  progressTold?: boolean;
  /** The warnings of the last render that were told. */
  warned?: string | undefined;
}

/** The memory of all Releases. */
export class ReleaseMemory {
  readonly #releases = new Map<string, Remembered>();

  /** Memory of exactly this Release; an earlier one of the same name is ignored. */
  of(key: string, uid: string): Remembered {
    const known = this.#releases.get(key);
    if (known?.uid === uid) return known;
    const fresh: Remembered = { uid, found: new Map(), seen: new Set() };
    this.#releases.set(key, fresh);
    return fresh;
  }

  find(key: string): Remembered | undefined {
    return this.#releases.get(key);
  }

  forget(key: string): void {
    this.#releases.delete(key);
  }
}
