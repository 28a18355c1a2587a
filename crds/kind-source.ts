import type { Reason } from "./conditions.ts";
import type { KindContext, Recorded } from "./kind-context.ts";
import type { Observed } from "./observed.ts";

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
        /** A full commit id. */
        readonly commit?: string | undefined;
      }
    | undefined;
  /** Folder in the repository. Default: its root. */
  readonly path?: string | undefined;
  /** Name of a Secret with the credentials, in the resource's namespace. */
  readonly secretRef?: { readonly name: string } | undefined;
  /** If set, only commits that a key of this Secret signed are followed. */
  readonly verify?: { readonly secretRef: { readonly name: string } } | undefined;
  /** How often the remote is polled, in milliseconds; at least 1,000. Default: 60,000. */
  readonly intervalMs?: number | undefined;
}

/** A commit, with the fields that users see. */
export interface SourceCommit {
  /** Full id. */
  readonly id: string;
  readonly author: string;
  /** First line of the message, control characters removed, at most 200 characters. */
  readonly subject: string;
  /** RFC 3339. */
  readonly committedAt: string;
}

/** A part of the history of a source: the commits that `until` contains and `since` does not. */
export interface CommitSpan {
  /** Full id. Undefined: the whole history. */
  readonly since?: string | undefined;
  /** Full id. */
  readonly until: string;
}

/** Author of commits, by e-mail address; any committer can set it. */
export interface SpanAuthor {
  readonly email: string;
  /** Id of a commit of the span that has the address, for people. */
  readonly commit: string;
}

/** The authors of the commits of a span. All of them are known, or none. */
export type SpanAuthors = CommitSpan &
  (
    | { readonly state: "known"; readonly authors: readonly SpanAuthor[] }
    /** They are being read. */
    | { readonly state: "pending" }
    /** `message`: why they cannot be known, for people. `isTooLong`: those of a shorter span can be read. */
    | { readonly state: "failed"; readonly message: string; readonly isTooLong?: boolean }
  );

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
  /** For users. */
  readonly message: string;
}

/** A source whose head is known. */
export interface ReadySource {
  readonly state: "ready";
  /** The commit that the ref named when the files below `path` last changed, or when the operator started. */
  readonly head: SourceCommit;
  /** The newest commit that changed the files below `path`. */
  readonly changed: SourceCommit;
  /** The history of the clone ends before that commit: `changed` is the head. Compare `tree`. */
  readonly isAssumed: boolean;
  /** Id of the git tree at `path`: in one repository, equal ids mean equal files. */
  readonly tree: string;
  /** Value of the annotation `fairlead.dev/requested-at` that was handled last. */
  readonly handledRequest?: string | undefined;
  /** Why the last poll failed; the other fields are from earlier polls. */
  readonly stale?: SourceProblem | undefined;
  /** The authors of the spans that the kind asks for, in their order; undefined: it asks for none. */
  readonly spans?: readonly SpanAuthors[] | undefined;
}

/** The state of a resource's source for its kind. After a start of the operator it is pending for a moment. */
export type KindSource =
  | ReadySource
  | { readonly state: "pending" }
  | (SourceProblem & { readonly state: "failed"; readonly handledRequest?: string | undefined });

/** The source in the input of a kind's functions; undefined: the resource follows none. */
export interface SourceContext<Source extends KindSource = KindSource> {
  readonly source: Source | undefined;
}

/** A git source whose head a kind follows: a push that changes what its functions receive reconciles the resource. */
export interface SourceInput<
  Resource,
  Requires extends boolean = boolean,
  State = KindContext<Recorded> & { readonly resource: Resource; readonly observed: Observed },
> {
  /**
   * `true`: record and chart wait until the source is known, objects stay as they are until then, and an unavailable
   * source makes the resource not ready. `false`: they receive every state, and the kind decides.
   */
  readonly required: Requires;
  /** The source of a resource; undefined: none. Pure, and also called for resources with an invalid spec. */
  readonly of: (resource: Resource) => GitSource | undefined;
  /**
   * Name of the ServiceAccount, in the resource's namespace, with whose permissions Secrets of the source are read.
   * Undefined: that of the policy, or else the operator itself. Pure.
   */
  readonly actAs?: (resource: Resource) => string | undefined;
  /**
   * Parts of the history whose authors the kind receives, in `source.spans`; at most 32. Each is read once, when it is first
   * asked for. Default: none, which costs nothing. Pure, called after the record was folded, for specs that are not valid, too.
   */
  readonly spans?: (state: State) => readonly CommitSpan[];
}

/** The source in the input of record and chart; unknown: the kind declares none. */
export type SourceAtHand<Requires extends boolean> = [Requires] extends [never]
  ? unknown
  : [Requires] extends [true]
    ? SourceContext<ReadySource>
    : SourceContext;

/** The source in the input of status, verdict and retirement: in any state. */
export type SourceTold<Requires extends boolean> = [Requires] extends [never] ? unknown : SourceContext;
