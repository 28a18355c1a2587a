import { kindIn, type ObjectId, type ObjectKindId } from "../../synth/manifest.ts";
import { NotOwnedError, ObjectRejectedError } from "../errors.ts";
import type { PublishState } from "../ports.ts";

/** Told how far a generation of a resource has come, for metrics. */
export interface Progress {
  /** All objects of this generation are applied. */
  live(key: string, generation: number): void;
  /** The commit of this generation is on the branch. */
  committed(key: string, generation: number): void;
}

export interface NoteProgressOptions {
  readonly generation: number | undefined;
  readonly published: PublishState | undefined;
  readonly progress: Progress | undefined;
}

/** Reports that everything of a generation is applied, and perhaps on the branch. */
export function noteProgress(
  key: string,
  { generation = 0, published, progress }: NoteProgressOptions,
): void {
  progress?.live(key, generation);
  if (published?.state === "published") progress?.committed(key, generation);
}

/** Called with what stands in a resource's way: an object, or something that only one object of a kind can have. */
export type OnBlocked = (key: string, by: ObjectId | ObjectKindId) => void;

/** Remembers what blocks a resource, so that it is retried when that object is deleted or its definition changes. */
export function noteBlocker(key: string, error: unknown, onBlocked: OnBlocked): void {
  if (error instanceof NotOwnedError) onBlocked(key, error.id);
  if (error instanceof ObjectRejectedError && (error.isContested || error.isBySchema))
    onBlocked(key, kindIn(error.id));
}
