import type { Reason } from "../../crds/conditions.ts";

/** Facts that the text of a remedy uses. */
export interface RemedyContext {
  /** `release`, `podset`. */
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Time of the condition's last transition, and now; wall clock. */
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Maximum delay between two attempts. */
  readonly retryCapMs: number;
  /** `spec.interval` of a Release. */
  readonly interval: string | undefined;
  /** `spec.timeout` of a Release, or the timeout that a kind gives. */
  readonly timeout: string | undefined;
  readonly commands: PasteableCommands;
}

/** Creates commands that users can paste: they contain the cluster options of the caller. */
export interface PasteableCommands {
  /** A Fairlead command on this resource. */
  readonly fairlead: (...words: readonly string[]) => string;
  readonly kubectl: (...words: readonly string[]) => string;
  /** Command that shows the operator's log. */
  readonly operatorLog: string;
}

export interface Remedy {
  /** The event or time that ends the wait. */
  readonly until?: string;
  readonly next: readonly string[];
}

/** Returns what ends a wait, and what to do about it, by the reason of its condition. Pure. */
export function remedyOf(reason: string, context: RemedyContext): Remedy {
  return (remedies as Readonly<Record<string, MakeRemedy | undefined>>)[reason]?.(context) ?? { next: [] };
}

/** Failures are retried after a delay that doubles: the next attempt starts before twice the time has passed. Pure. */
export function nextTryBy({ sinceMs, nowMs, retryCapMs }: RemedyContext): string {
  const delayMs = Math.min(retryCapMs, Math.max(1_000, nowMs - sinceMs));
  return `${new Date(nowMs + delayMs).toISOString().slice(0, 19)}Z`;
}

type MakeRemedy = (context: RemedyContext) => Remedy;

const edit: MakeRemedy = ({ kind, name, namespace, commands }) => ({
  until: "the spec is edited",
  next: [commands.kubectl("edit", kind, name, ...inNamespace(namespace))],
});
const source: MakeRemedy = ({ interval, commands: { fairlead } }) => ({
  until: `the source is fixed; polled every ${interval ?? "interval"}`,
  next: [`${fairlead("reconcile", "--wait")}   # polls at once, after the fix`],
});
const render: MakeRemedy = ({ interval, commands: { fairlead } }) => ({
  until: `another commit is pushed, or spec.render is corrected; polled every ${interval ?? "interval"}`,
  next: [
    `${fairlead("diff", "--source=.")}   # tests the local folder of spec.source.path`,
    `${fairlead("reconcile", "--wait")}   # polls at once, after the push`,
  ],
});
const repository: MakeRemedy = () => ({
  until: "a push succeeds; retried automatically",
  next: ["check the repository, its credentials and its protected branches (docs/git.md)"],
});
const none: MakeRemedy = () => ({ next: [] });

function describeTimeout({ kind, timeout }: RemedyContext): string {
  if (timeout === undefined) return "";
  return `; fails after ${timeout}${kind === "release" ? " (spec.timeout)" : ""}`;
}

const remedies: Readonly<Record<Reason, MakeRemedy>> = {
  Reconciled: none,
  Applied: none,
  Healthy: none,
  Sourced: none,
  Published: none,
  Progressing: (context) => ({
    until: `the objects are ready${describeTimeout(context)}`,
    next: lookAtObjects(context),
  }),
  DeclaredElsewhere: () => ({ until: "it is removed there, or its time is extended", next: [] }),
  Suspended: ({ commands: { fairlead } }) => ({ until: "spec.suspend is false", next: [fairlead("resume")] }),
  Deleting: () => ({
    until: "these objects are deleted",
    next: ["if the controller of a finalizer no longer exists, remove the finalizer with kubectl edit"],
  }),
  Failed: (context) => ({ until: "the object recovers", next: lookAtObjects(context) }),
  SpecInvalid: edit,
  ApplyRejected: (context) =>
    context.kind === "release"
      ? {
          ...render(context),
          until:
            "the manifest or the conflicting object changes; after a minute, the next reconcile tries again",
        }
      : {
          until: "the spec or the conflicting object changes; after a minute, the next reconcile tries again",
          next: edit(context).next,
        },
  ApplyFailed: (context) => ({
    until: `an attempt succeeds; next attempt by ${nextTryBy(context)}`,
    next: [
      "if it is forbidden, grant the rights in the message (docs/operator-rights.md, docs/release-rights.md)",
    ],
  }),
  ImmutableField: () => ({
    until: "the change is reverted, or the object is deleted",
    next: ["revert the change, or delete the object to have it recreated"],
  }),
  NotOwned: () => ({ until: "the object is deleted or handed over; checked every 30 s", next: [] }),
  DependencyNotReady: () => ({ until: "these Releases are ready", next: [] }),
  DependencyCycle: edit,
  PinPending: () => ({ until: "the Pipeline sets spec.revision", next: [] }),
  DigestMismatch: () => ({
    until: "spec.digest is that of the new plan in status.next, or another commit is pinned",
    next: ["for a Release of a Pipeline, the new plan is approved there"],
  }),
  KindUnknown: () => ({
    until: "the cluster has the kind",
    next: ["install its CustomResourceDefinition, or correct apiVersion and kind"],
  }),
  KindNotWatched: () => ({
    until: "the operator may list and watch the kind",
    next: ["grant the rights in the message (docs/values.md)"],
  }),
  PruneHeld: () => ({ until: "the deletion is approved, or the objects are in the source again", next: [] }),
  PolicyRefused: () => ({
    until: "the Release or the policy is changed",
    next: ["ask the owner of the ReleasePolicy (docs/kinds/release-policy.md), or change the Release"],
  }),
  SourcePending: ({ commands: { fairlead } }) => ({
    until: "the source is fetched and rendered",
    next: [fairlead("logs")],
  }),
  SourceUnreachable: source,
  SourceRefused: source,
  SourceNotFound: source,
  SourceInvalid: source,
  SourceNotVerified: source,
  RenderFailed: render,
  RenderLimit: render,
  RenderQuota: () => ({ until: "the time in the message", next: [] }),
  RenderNotReproducible: render,
  Pending: repository,
  PushRefused: repository,
  RepositoryUnreachable: repository,
  RepositoryOwned: repository,
  PublishRefused: repository,
};

function lookAtObjects({ kind, name, namespace, commands }: RemedyContext): readonly string[] {
  if (kind === "release") return [commands.fairlead("tree")];
  return [commands.kubectl("describe", kind, name, ...inNamespace(namespace))];
}

/** The namespace option for kubectl. Pure. */
export function inNamespace(namespace: string | undefined): readonly string[] {
  return namespace === undefined ? [] : ["-n", namespace];
}
