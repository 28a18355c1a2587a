import type { LeaseTerm } from "../ports.ts";
import { type CommitOrigin, describeOrigin } from "./origin-text.ts";

/** A resource whose folder a commit writes. */
export interface AppliedResource {
  /** `Echo shop/hello` */
  readonly title: string;
  readonly generation: number;
  /** More lines for the last paragraph, such as where the objects come from. */
  readonly trailers?: readonly string[] | undefined;
  /** The origin of its objects, for the body, above the last paragraph. */
  readonly origin?: CommitOrigin | undefined;
}

export interface CommitMessageInput {
  readonly applied: readonly AppliedResource[];
  /** Titles (or folders) of the resources whose folders are removed. */
  readonly removed: readonly string[];
  readonly version: string;
  /** Absent without leader election. */
  readonly lease: LeaseTerm | undefined;
}

/** Longest subject line, in characters. */
const SUBJECT_LENGTH = 72;
/** Maximum number of resources in the list. The rest is a count. */
const NAMED_RESOURCES = 20;

/** The message of one commit: a subject for users, then trailers (`git interpret-trailers`) for programs. Pure. */
export function composeCommitMessage({ applied, removed, version, lease }: CommitMessageInput): string {
  const resources = [
    ...applied.map(({ title, generation }) => `${oneLine(title)} generation ${generation}`),
    ...removed.map((title) => `${oneLine(title)} removed`),
  ].sort();
  const trailers = resources.slice(0, NAMED_RESOURCES).map((text) => `Fairlead-Resource: ${text}`);
  if (resources.length > NAMED_RESOURCES) trailers.push(`Fairlead-Resources: ${resources.length}`);
  for (const { title, trailers: more = [] } of applied.slice(0, NAMED_RESOURCES)) {
    // With several resources, each line names its resource.
    const whose = applied.length === 1 ? "" : ` ${title}`;
    trailers.push(...more.map((line) => oneLine(`${line}${whose}`)));
  }
  trailers.push(`Fairlead-Version: ${version}`);
  if (lease !== undefined) trailers.push(`Fairlead-Lease: ${lease.leaseUid}/${lease.transitions}`);
  const paragraphs = [subjectOf(applied, removed), originsOf(applied), trailers.join("\n")];
  return `${paragraphs.filter((text) => text !== "").join("\n\n")}\n`;
}

/** The lines with the origins. Their text is untrusted: each line begins with fixed words, and the trailers come later. */
function originsOf(applied: readonly AppliedResource[]): string {
  return applied
    .slice(0, NAMED_RESOURCES)
    .flatMap(({ title, origin }) => {
      if (origin === undefined) return [];
      // With several resources, each line names its resource.
      const whose = applied.length === 1 ? "Made" : `${oneLine(title)} is made`;
      return [`${whose} from ${describeOrigin(origin)}`];
    })
    .join("\n");
}

/** The fencing term in a commit of the operator, read from the last paragraph of its message. */
export function readLeaseTrailer(message: string): LeaseTerm | undefined {
  const last =
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? "";
  const [, leaseUid, transitions] = /^Fairlead-Lease: (\S+)\/(\d{1,15})$/m.exec(last) ?? [];
  if (leaseUid === undefined || transitions === undefined) return undefined;
  return { leaseUid, transitions: Number(transitions) };
}

/** Whether a commit was made by a later leader than this one. Terms of different Leases cannot be compared. */
export function isLaterTerm(theirs: LeaseTerm | undefined, ours: LeaseTerm | undefined): boolean {
  if (theirs === undefined || ours === undefined) return false;
  return theirs.leaseUid === ours.leaseUid && theirs.transitions > ours.transitions;
}

function subjectOf(applied: readonly AppliedResource[], removed: readonly string[]): string {
  const [first] = applied;
  const [gone] = removed;
  const parts: string[] = [];
  if (first !== undefined) {
    const only = applied.length === 1 && gone === undefined;
    parts.push(only ? applySubject(first) : `Apply ${counted(applied.length)}`);
  }
  if (gone !== undefined) {
    const only = removed.length === 1 && first === undefined;
    const what = only ? shorten(oneLine(gone), SUBJECT_LENGTH - "Remove ".length) : counted(removed.length);
    parts.push(`${first === undefined ? "Remove" : "remove"} ${what}`);
  }
  return parts.length === 0 ? "Claim this folder" : parts.join(", ");
}

function applySubject({ title, generation }: AppliedResource): string {
  const end = `, generation ${generation}`;
  return `Apply ${shorten(oneLine(title), SUBJECT_LENGTH - "Apply ".length - end.length)}${end}`;
}

function counted(count: number): string {
  return count === 1 ? "1 resource" : `${count} resources`;
}

function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}

/** Replaces control characters. The name of an object must never start a new line in a message. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are replaced
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
}
