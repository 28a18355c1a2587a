import type { Reason } from "./conditions.ts";

/** A folder of a git repository that a resource follows. */
export interface GitSource {
  /** https://, ssh://, user@host:path, or file:// where the operator allows it. */
  readonly url: string;
  /** Default: the branch `main`. */
  readonly ref?:
    | {
        readonly branch?: string | undefined;
        readonly tag?: string | undefined;
        /** The highest tag in a range of semantic versions. */
        readonly semver?: string | undefined;
        /** A full id. */
        readonly commit?: string | undefined;
      }
    | undefined;
  /** Folder in the repository. Default: its root. */
  readonly path?: string | undefined;
  /** Name of a Secret in the resource's namespace that has the credentials. */
  readonly secretRef?: { readonly name: string } | undefined;
  /** Only commits that a key of this Secret signed are followed. */
  readonly verify?: { readonly secretRef: { readonly name: string } } | undefined;
  /** How often the remote is polled, in milliseconds; at least 1,000. Default: 60,000. */
  readonly intervalMs?: number | undefined;
}

/** A commit, as far as people are told about it. */
export interface SourceCommit {
  /** Full id. */
  readonly id: string;
  readonly author: string;
  /** First line of the message, control characters removed, at most 200 characters. */
  readonly subject: string;
  /** RFC 3339. */
  readonly committedAt: string;
}

/** Why a source is not known, or was not polled. */
export interface SourceProblem {
  readonly reason: Extract<
    Reason,
    | "SourceUnreachable"
    | "SourceRefused"
    | "SourceNotFound"
    | "SourceInvalid"
    | "SourceNotVerified"
    | "RenderLimit"
    | "PolicyRefused"
  >;
  /** For people. */
  readonly message: string;
}

/** A source whose head is known. */
export interface ReadySource {
  readonly state: "ready";
  /** The commit that the ref named when the files below `path` changed last, or when the operator started. */
  readonly head: SourceCommit;
  /** The newest commit that changed the files below `path`. */
  readonly changed: SourceCommit;
  /** The history of the clone ends before that commit: `changed` is the head. Compare `tree`. */
  readonly isAssumed: boolean;
  /** Id of the git tree at `path`: in one repository, equal ids mean equal files. */
  readonly tree: string;
  /** Value of the annotation `fairlead.dev/requested-at` that was answered last. */
  readonly handledRequest?: string | undefined;
  /** Why the last poll failed; the rest is what was known before it. */
  readonly stale?: SourceProblem | undefined;
}

/** What a kind is told of the source of a resource. After a start of the operator it is pending for a moment. */
export type KindSource =
  | ReadySource
  | { readonly state: "pending" }
  | (SourceProblem & { readonly state: "failed"; readonly handledRequest?: string | undefined });

/** The source among the input of a kind's functions; undefined: the resource follows none. */
export interface SourceContext<Source extends KindSource = KindSource> {
  readonly source: Source | undefined;
}

/** A git source whose head a kind follows: a push that changes what its functions are told reconciles the resource. */
export interface SourceInput<Resource, Requires extends boolean = boolean> {
  /**
   * `true`: record and chart wait until the source is known, objects stay as they are until then, and a source that
   * cannot be had makes the resource unready. `false`: they are given every state, and the kind decides.
   */
  readonly required: Requires;
  /** The source of a resource; undefined: none. Pure, and called for resources whose spec is not valid, too. */
  readonly of: (resource: Resource) => GitSource | undefined;
  /**
   * Name of the ServiceAccount, in the resource's namespace, that Secrets of the source are read as. Undefined: that of the
   * policy, or else the operator itself. Pure.
   */
  readonly actAs?: (resource: Resource) => string | undefined;
}

/** The source as record and chart are given it; unknown: the kind declares none. */
export type SourceAtHand<Requires extends boolean> = [Requires] extends [never]
  ? unknown
  : [Requires] extends [true]
    ? SourceContext<ReadySource>
    : SourceContext;

/** The source as status, verdict and retirement are given it: in any state. */
export type SourceTold<Requires extends boolean> = [Requires] extends [never] ? unknown : SourceContext;
