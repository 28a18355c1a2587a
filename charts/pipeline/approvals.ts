import { Approval, type ApprovalSpec } from "../../crds/approval.ts";
import type { SpanAuthors } from "../../crds/kind-source.ts";
import type { LiveObject } from "../../crds/object.ts";
import { type CommitAuthors, findAuthors, type KnownAuthors } from "./commit-authors.ts";

/** Approvals that a stage needs: `enter.approvals`. */
export interface ApprovalRule {
  /** Number of users who must approve. */
  readonly count: number;
  /** Each of them must be a member of at least one of these groups. Undefined or empty: any user. */
  readonly groups?: readonly string[] | undefined;
  /** Approvals by authors of the commits do not count. */
  readonly notAuthor?: boolean | undefined;
}

export interface ApprovalsInput {
  readonly pipeline: string;
  readonly stage: string;
  /** Its earlier names: only rejections for them count, because approvals were allowed by rights on that name. */
  readonly formerly?: readonly string[] | undefined;
  /** Digest of what the stage would run, as planned. */
  readonly digest: string;
  /** Undefined: the stage needs no approval. A rejection counts in any case. */
  readonly rule: ApprovalRule | undefined;
  /** The Approvals of the Pipeline's namespace. */
  readonly approvals: readonly LiveObject[];
  /** Why the API server does not verify who created an Approval; undefined: it does. See `approval-policy.ts`. */
  readonly notInForce: string | undefined;
  /** The authors of all commits since the stage's current one. Undefined: the source is not known. Only `notAuthor` reads them. */
  readonly span: SpanAuthors | undefined;
  readonly authors: CommitAuthors;
}

/** An Approval as recorded in a Promotion. */
export interface CountedApproval {
  readonly name: string;
  readonly uid: string;
  readonly by: string;
  /** When it was created, RFC 3339. */
  readonly at: string;
  readonly digest: string;
}

export interface ApprovalState {
  /** `Rejected`: the digest is failed for this stage until the rejection is deleted. */
  readonly state: "Approved" | "Waiting" | "Rejected";
  /** One for each user, the earliest first. */
  readonly counted: readonly CountedApproval[];
  /** Number of users that the rule requires. */
  readonly needed: number;
  /** Approvals of this digest that do not count, and the reasons. */
  readonly ignored: readonly { readonly name: string; readonly why: string }[];
  /** Why no approval can count; undefined: approvals can count. */
  readonly refused: string | undefined;
  /** Users whose Approvals do not count, because they are authors of the commits; undefined: there are none. */
  readonly excluded: readonly string[] | undefined;
  /** For users. */
  readonly message: string;
}

/** The rule, and the users whose Approvals do not count. */
interface Excluding {
  readonly rule: ApprovalRule | undefined;
  readonly excluded: ReadonlySet<string>;
}

const noUsers: ReadonlySet<string> = new Set();
/** Maximum number of authors in a message. */
const mostNamed = 5;

interface Decision {
  readonly counted: CountedApproval;
  readonly spec: ApprovalSpec;
  readonly isLeaving: boolean;
}

/** Whether the approvals allow a stage to start a digest. Pure. */
export function assessApprovals(input: ApprovalsInput): ApprovalState {
  const { stage, rule } = input;
  // Parse only the Approvals of this digest. Most are for other digests, because Approvals are not deleted.
  const decisions = readDecisions(input.approvals.filter((approval) => isFor(approval, input)));
  const needed = rule?.count ?? 0;
  // A rejection counts even if the policy does not verify its author, because it can only stop a stage.
  const rejection = decisions.find(({ spec }) => spec.decision === "Reject");
  const approvals = decisions.filter(({ spec }) => spec.decision === "Approve" && spec.stage === stage);
  const known = rule?.notAuthor === true ? findAuthors(input.span, input) : undefined;
  const refusals = refuseAll(input, known);
  const excluded = known !== undefined && "users" in known ? known.users : noUsers;
  const counted: CountedApproval[] = [];
  const ignored: { name: string; why: string }[] = [];
  for (const decision of approvals) {
    const why = refusals ?? refuseOne(decision, { rule, excluded, counted });
    if (why === undefined) counted.push(decision.counted);
    else ignored.push({ name: decision.counted.name, why });
  }
  const common = {
    counted,
    needed,
    ignored: ignored.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    refused: refusals,
    excluded: excluded.size > 0 ? [...excluded].toSorted() : undefined,
  };
  if (rejection !== undefined) {
    const { by, name } = rejection.counted;
    const why = rejection.spec.reason === undefined ? "" : `: ${rejection.spec.reason}`;
    return { ...common, state: "Rejected", message: `rejected by ${by} (Approval ${name})${why}` };
  }
  if (counted.length >= needed)
    return { ...common, state: "Approved", message: `${counted.length} of ${needed} approvals` };
  return { ...common, state: "Waiting", message: waitingFor(common, { rule, excluded, reason: refusals }) };
}

/** Whether an Approval, which may be invalid, is for a stage, under any of its names, and a digest. */
function isFor(
  approval: LiveObject,
  {
    pipeline,
    stage,
    formerly = [],
    digest,
  }: Pick<ApprovalsInput, "pipeline" | "stage" | "formerly" | "digest">,
): boolean {
  const spec = (approval["spec"] ?? {}) as Partial<ApprovalSpec>;
  const isOfStage = spec.stage === stage || (spec.stage !== undefined && formerly.includes(spec.stage));
  return isOfStage && spec.pipeline === pipeline && spec.digest === digest;
}

/** All valid Approvals, the earliest first. */
function readDecisions(approvals: readonly LiveObject[]): readonly Decision[] {
  return approvals
    .flatMap(({ metadata, spec }): readonly Decision[] => {
      const { data } = Approval.spec.safeParse(spec);
      if (data === undefined) return [];
      const { name, uid, creationTimestamp: at = "" } = metadata;
      const isLeaving = metadata.deletionTimestamp !== undefined;
      return [{ counted: { name, uid, by: data.by, at, digest: data.digest }, spec: data, isLeaving }];
    })
    .toSorted(({ counted: a }, { counted: b }) =>
      a.at === b.at ? compare(a.name, b.name) : compare(a.at, b.at),
    );
}

/** Why no Approval counts; undefined: Approvals can count. */
function refuseAll({ notInForce }: ApprovalsInput, known: KnownAuthors | undefined): string | undefined {
  return notInForce ?? (known !== undefined && "unknown" in known ? known.unknown : undefined);
}

function refuseOne(
  { counted: { by }, spec, isLeaving }: Decision,
  { rule, excluded, counted }: Excluding & { readonly counted: readonly CountedApproval[] },
): string | undefined {
  if (isLeaving) return "it is being deleted";
  if (counted.some((other) => other.by === by)) return `${by} has approved already`;
  const { groups = [] } = rule ?? {};
  if (groups.length > 0 && !groups.some((group) => spec.groups?.includes(group)))
    return `${by} did not approve as a member of ${groups.join(" or ")}`;
  return excluded.has(by) ? `${by} is an author of the commits` : undefined;
}

function waitingFor(
  { counted, needed, ignored }: Pick<ApprovalState, "counted" | "needed" | "ignored">,
  { rule, excluded, reason }: Excluding & { readonly reason: string | undefined },
): string {
  const { groups = [], notAuthor = false } = rule ?? {};
  const from = groups.length === 0 ? "" : ` from ${groups.join(" or ")}`;
  const not = notAuthor ? `, not by an author of the commits${listUsers(excluded)}` : "";
  const has = `${counted.length} of ${needed} approvals${from}${not}`;
  if (reason !== undefined) return `${has}; no approval counts: ${reason}`;
  return [has, ...ignored.map(({ name, why }) => `Approval ${name} does not count: ${why}`)].join("; ");
}

function listUsers(users: ReadonlySet<string>): string {
  if (users.size === 0) return "";
  const named = [...users].toSorted().slice(0, mostNamed);
  const others = users.size - named.length;
  return ` (${[...named, ...(others > 0 ? [`${others} more`] : [])].join(", ")})`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
