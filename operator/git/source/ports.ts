import type { CommitSpan } from "../../../crds/kind-source.ts";
import type { SourceSpec } from "../../../crds/source.ts";
import type { SourceFailure } from "../../errors.ts";
import type { FoundAuthors } from "./span-authors.ts";

// Sources are level-triggered like the Publisher: they respond at once from memory, work in the background, and put the
// key of the follower back into its queue when the answer changes.

/** One commit, with the fields that users see. */
export interface SourceCommit {
  /** Full id. */
  readonly id: string;
  readonly author: string;
  /** First line of the message, control characters removed, at most 200 characters. */
  readonly subject: string;
  /** RFC 3339. */
  readonly committedAt: string;
}

/** The state of a source at a commit. */
export interface SourceRevision {
  /** The commit that the ref (or the pin) names: the head at the last poll. */
  readonly head: SourceCommit;
  /**
   * Newest commit up to `head` that changed the tree at `path`, if the clone's history reaches back to it; else `head`.
   */
  readonly changed: SourceCommit;
  /** The clone's history does not reach back to the last change of the folder: `changed` is the head. */
  readonly isAssumed?: boolean;
  /** Git tree id of the folder at `path`: equal ids, equal files. */
  readonly tree: string;
  /** Opaque id of URL and credentials. Tree ids of two repositories are never compared. */
  readonly repositoryId: string;
  /** Newest commit up to `head` that changed one of these paths (relative to the source's path); else `head`. */
  readonly lastChangeOf: (paths: readonly string[]) => Promise<SourceCommit>;
  /**
   * The authors of the commits of a span, which need not end at `head`.
   *
   * @throws SourceError when the repository cannot be read now.
   */
  readonly authorsOf: (span: CommitSpan) => Promise<FoundAuthors>;
  readonly files: SourceFiles;
}

/** The files of one folder of one commit. Reading never touches a work tree; symlinks and submodules are not followed. */
export interface SourceFiles {
  /**
   * Regular files by path relative to the folder, `/` between segments, in byte order. Symlinks and submodules are listed
   * apart, so that a reader can refuse them by name.
   *
   * @throws SourceError `RenderLimit` over 20,000 entries.
   */
  list(): Promise<{
    readonly files: readonly { readonly path: string; readonly blob: string; readonly size: number }[];
    readonly refused: readonly { readonly path: string; readonly what: "symlink" | "submodule" }[];
  }>;
  /** Contents of blobs by id, all at once. @throws SourceError `RenderLimit` over 64 MiB in all. */
  read(blobs: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

export type SourceState =
  /** `stale`: the last poll failed; the previous result still holds. */
  | {
      readonly state: "ready";
      readonly revision: SourceRevision;
      readonly handledRequest: string | undefined;
      readonly stale?: SourceFailure;
    }
  | { readonly state: "pending" }
  | {
      readonly state: "failed";
      readonly failure: SourceFailure;
      readonly handledRequest?: string | undefined;
    };

export interface SourceRequest {
  /** Key of the resource, for `onChange`. */
  readonly key: string;
  readonly source: SourceSpec;
  /** The pin; overrules `source.ref`. */
  readonly revision: string | undefined;
  readonly intervalMs: number;
  /** Data of the Secrets that the source names, decoded; undefined: it names none. */
  readonly credentials: ReadonlyMap<string, string> | undefined;
  readonly signers: ReadonlyMap<string, string> | undefined;
  /** Value of the annotation `fairlead.dev/requested-at`: a new value causes a poll of the remote at once. */
  readonly requestedAt: string | undefined;
  readonly repositoryBytes?: number | undefined; // the largest clone that the platform allows
}

/** Remotes with a URL, of which a ref was pushed (its full name, if it is known), or all that serve a resource. */
export type RefreshedSource =
  | { readonly url: string; readonly pushed?: string | undefined }
  | { readonly key: string };

/** Git repositories that resources come from; one bare cache and one schedule per remote. */
export interface Sources {
  /** The state of the source. Repeating the same request has no cost. */
  resolve(request: SourceRequest): SourceState;
  /** The resource was deleted or suspended: its source need not be polled. */
  forget(key: string): void;
  /** Polls remotes at once. */
  refresh(of: RefreshedSource): void;
  close(): Promise<void>;
}

/** The answers to resources. */
export interface SourceAnswers {
  /** The answer to a resource's last request; undefined: it has made none, or it was dropped. */
  known(key: string): SourceState | undefined;
}
