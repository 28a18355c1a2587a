import { ZodError } from "zod";
import { Release } from "../../crds/release.ts";
import { ExpressionError } from "../../operator/engine/health/health-expression.ts";
import { describeOrigin } from "../../operator/engine/origin-text.ts";
import { showText } from "../../operator/engine/show-text.ts";
import { SourceError } from "../../operator/errors.ts";
import { BranchListReader } from "../../operator/git/publish/branch-list.ts";
import { readAnswer } from "../../operator/git/publish/messages.ts";
import { readOwnerFile } from "../../operator/git/publish/owner-file.ts";
import { readPublishError } from "../../operator/git/publish/publish-failure.ts";
import { parseRemoteUrl, RemoteUrlError } from "../../operator/git/remote-url.ts";
import { AuthorListReader } from "../../operator/git/source/author-list.ts";
import { readAuthoredCommit } from "../../operator/git/source/commit-author.ts";
import { FileListReader } from "../../operator/git/source/file-list.ts";
import { readCommit, readTree } from "../../operator/git/source/git-objects.ts";
import { followItem } from "../../operator/git/source/messages.ts";
import { isSemverRange } from "../../operator/git/source/semver-ref.ts";
import { readPush } from "../../operator/hooks/push-payload.ts";
import { DocumentError } from "../../operator/render/document-error.ts";
import { refuseForeign } from "../../operator/render/foreign-files.ts";
import { SandboxGarbageError } from "../../operator/sandbox/program/message-reader.ts";
import { readDetails } from "../../operator/sandbox/read-details.ts";
import { redactText } from "../../operator/telemetry/redact.ts";
import { FrameError } from "../../operator/zones/frame-reader.ts";
import * as feeds from "./feeds.ts";
import * as tokens from "./tokens.ts";

/** A reader of untrusted bytes. */
export interface FuzzedReader {
  readonly name: string;
  /** A generator is measured from one `yield` to the next, a promise from one turn of the event loop to the next. */
  readonly feed: (bytes: Buffer) => Generator<undefined, unknown> | Promise<unknown> | undefined;
  /** Errors that the reader throws for invalid input. Any other error is a crash. */
  readonly throws: readonly (abstract new (
    ...parameters: never[]
  ) => Error)[];
  /** Tokens of the inputs. */
  readonly tokens: readonly string[];
  /** Bytes of the largest input that the operator gives to the reader. */
  readonly largest: number;
  /** Longest time in milliseconds without a pause. Default: that of the operator; the sandbox zone may take longer. */
  readonly sliceMs?: number;
}

const KiB = 1_024;
const MiB = 1_024 * KiB;

/** Every reader of untrusted bytes in the operator. Add a line for a new one. */
// biome-ignore format: one line each
export const readers: readonly FuzzedReader[] = [
  { name: "YAML file", feed: (bytes) => feeds.documentsOf("a.yaml", bytes), throws: [DocumentError], tokens: tokens.yaml, largest: 4 * MiB, sliceMs: 1_000 },
  { name: "JSON file", feed: (bytes) => feeds.documentsOf("a.json", bytes), throws: [DocumentError], tokens: tokens.json, largest: 4 * MiB },
  { name: "ignore file", feed: feeds.ignore, throws: [SourceError], tokens: tokens.ignore, largest: 64 * KiB },
  { name: "stderr of git", feed: feeds.stderr, throws: [], tokens: tokens.stderr, largest: 16 * MiB },
  { name: "answer of git push", feed: feeds.pushAnswer, throws: [], tokens: tokens.stderr, largest: 64 * KiB },
  { name: "answer of git ls-remote", feed: feeds.remoteRefs, throws: [], tokens: tokens.refs, largest: 16 * MiB },
  { name: "tree object", feed: feeds.ofBytes((bytes) => readTree(bytes, 20)), throws: [RangeError], tokens: tokens.tree, largest: MiB },
  { name: "commit object", feed: feeds.ofBytes((bytes) => readCommit("a", bytes)), throws: [RangeError], tokens: tokens.commit, largest: MiB },
  { name: "author of a commit object", feed: feeds.ofBytes(readAuthoredCommit), throws: [], tokens: tokens.commit, largest: 256 * KiB },
  { name: "author and subject of a commit", feed: feeds.ofBytes((bytes) => describeOrigin({ id: "", author: String(bytes), subject: String(bytes) })), throws: [], tokens: tokens.commit, largest: MiB },
  { name: "file of another tool", feed: feeds.ofBytes((bytes) => refuseForeign("Chart.yaml", String(bytes))), throws: [SourceError], tokens: tokens.yaml, largest: 4 * MiB },
  { name: "body of a webhook", feed: feeds.ofBytes((bytes) => readPush(bytes, "application/json")), throws: [], tokens: tokens.json, largest: MiB },
  { name: "form of a webhook", feed: feeds.ofBytes((bytes) => readPush(bytes, "application/x-www-form-urlencoded")), throws: [], tokens: tokens.form, largest: MiB },
  { name: "message of a sandbox", feed: feeds.messages, throws: [SandboxGarbageError, RangeError], tokens: tokens.frames, largest: 16 * MiB },
  { name: "answer of a program", feed: feeds.programAnswer, throws: [SourceError], tokens: tokens.program, largest: 16 * MiB },
  { name: "object of a program", feed: feeds.programObject, throws: [SourceError], tokens: tokens.items, largest: 4 * MiB },
  { name: "dependencies of a program", feed: feeds.programEdges, throws: [SourceError], tokens: tokens.items, largest: 4 * MiB },
  { name: "answers of two runs", feed: feeds.twoAnswers, throws: [SourceError], tokens: tokens.program, largest: 16 * MiB },
  { name: "list of files of the source zone", feed: feeds.ofBytes((bytes) => new FileListReader().take(bytes)), throws: [RangeError], tokens: tokens.fileList, largest: 2 * MiB },
  { name: "state of the source zone", feed: feeds.ofJson((value) => followItem.safeParse(value)), throws: [], tokens: tokens.schema, largest: 64 * KiB },
  { name: "list of authors of the source zone", feed: feeds.ofBytes((part) => new AuthorListReader().take({ body: {}, parts: [part] })), throws: [RangeError], tokens: tokens.authorList, largest: 2 * MiB },
  { name: "list of folders of the publish zone", feed: feeds.ofBytes((part) => new BranchListReader().take({ list: "trees", part })), throws: [RangeError], tokens: tokens.branchList, largest: MiB },
  { name: "list of files of the publish zone", feed: feeds.ofBytes((part) => new BranchListReader().take({ list: "files", part })), throws: [RangeError], tokens: tokens.branchList, largest: MiB },
  { name: "branch of the publish zone", feed: feeds.ofJson((value) => readAnswer.safeParse(value)), throws: [], tokens: tokens.branch, largest: 64 * KiB },
  { name: "error of the publish zone", feed: feeds.ofJson(readPublishError), throws: [], tokens: tokens.branch, largest: 64 * KiB },
  { name: "answer of the source zone", feed: feeds.ofJson(feeds.sourceAnswers), throws: [], tokens: tokens.schema, largest: 64 * KiB },
  { name: "frames of a zone", feed: feeds.zoneFrames, throws: [FrameError, RangeError], tokens: tokens.zoneFrames, largest: 16 * MiB },
  { name: "object of a render", feed: feeds.renderedObject, throws: [RangeError], tokens: tokens.json, largest: 2 * MiB },
  { name: "dependencies of a render", feed: feeds.renderedEdges, throws: [RangeError, SourceError], tokens: tokens.json, largest: 256 * KiB },
  { name: "details of a render", feed: feeds.ofBytes(readDetails), throws: [RangeError, SyntaxError, ZodError], tokens: tokens.details, largest: MiB },
  { name: "answer of the sandbox zone", feed: feeds.ofJson(feeds.sandboxAnswers), throws: [], tokens: tokens.schema, largest: 64 * KiB },
  { name: "CEL expression", feed: feeds.cel, throws: [ExpressionError], tokens: tokens.cel, largest: 4 * KiB },
  { name: "range of versions", feed: feeds.ofText(isSemverRange), throws: [], tokens: tokens.semver, largest: 255 },
  { name: "URL of a source", feed: feeds.ofText(parseRemoteUrl), throws: [RemoteUrlError], tokens: tokens.url, largest: 2 * KiB },
  { name: "owner file", feed: feeds.ofText(readOwnerFile), throws: [], tokens: tokens.yaml, largest: 2 * KiB },
  { name: "conditions of an autoscaler", feed: feeds.ofText(feeds.autoscaler), throws: [], tokens: tokens.conditions, largest: 256 * KiB },
  { name: "spec of a Release", feed: feeds.ofJson((value) => Release.spec.safeParse(value)), throws: [], tokens: tokens.schema, largest: 64 * KiB },
  { name: "schema of a kind", feed: feeds.ofJson(feeds.kinds), throws: [], tokens: tokens.schema, largest: MiB },
  { name: "refusal of the API server", feed: feeds.refusal, throws: [], tokens: tokens.refusal, largest: 128 * KiB },
  { name: "name in a message", feed: feeds.ofText(showText), throws: [], tokens: tokens.stderr, largest: MiB },
  { name: "text in the log", feed: feeds.ofText(redactText), throws: [], tokens: tokens.stderr, largest: MiB },
];
