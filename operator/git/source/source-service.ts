import type { CommitSpan } from "../../../crds/kind-source.ts";
import { SourceError } from "../../errors.ts";
import type { Leader } from "../../hooks/pass-on.ts";
import type { Clock, Logger } from "../../ports.ts";
import type { AskBack, IncomingRequest, Serve } from "../../zones/incoming-requests.ts";
import type { Message } from "../../zones/messages.ts";
import type { Received } from "../../zones/outgoing-requests.ts";
import { toMessageText } from "../redact.ts";
import type { IsolationItem } from "../zone-messages.ts";
import { encodeAuthors } from "./author-list.ts";
import type { LocalSources } from "./create-sources.ts";
import { encodeFileList, FileListError } from "./file-list.ts";
import { FollowedKeys } from "./followed-keys.ts";
import { type AuthorsItem, type CountsItem, MESSAGE, readLimits } from "./messages.ts";
import type { SourceFiles } from "./ports.ts";

export interface SourceServiceOptions {
  readonly createSources: (onChange: (keys: readonly string[]) => void) => LocalSources;
  /** Counters of the responses to hooks, by outcome. */
  readonly hookCounts: () => CountsItem["hooks"];
  /** Kernel isolation of this process, and of git. */
  readonly isolation: IsolationItem["isolation"];
  readonly clock: Clock;
  readonly log: Logger;
}

export interface SourceService {
  readonly serve: Serve;
  /** URLs of the followed repositories. */
  readonly urls: () => Iterable<string>;
  readonly sources: LocalSources;
  /** Queries the operator for the leading instance; undefined: there is no operator. */
  readonly leader: () => Promise<Leader>;
}

const LEADER_MS = 2_000;

/** The requests that the source zone serves: follow sources, and read the files of their clones. */
export function createSourceService(options: SourceServiceOptions): SourceService {
  const { log } = options;
  const sources = options.createSources((keys) => followed.changed(keys));
  const followed = new FollowedKeys({ ...options, sources });
  let operator: AskBack | undefined;

  async function list({ body, send, signal }: IncomingRequest): Promise<void> {
    const listed = await filesIn(body, sources).list();
    try {
      for (const part of encodeFileList(listed)) {
        signal.throwIfAborted();
        await send({ body: {}, parts: [part] });
      }
    } catch (error) {
      if (!(error instanceof FileListError)) throw error;
      throw new SourceError("RenderLimit", `Cannot read the folder: ${error.message}`);
    }
  }

  async function read({ body, parts, send, signal }: IncomingRequest): Promise<void> {
    const blobs = String(parts[0]).split("\n");
    const contents = await filesIn(body, sources).read(blobs);
    const files = blobs.map((blob) => contents.get(blob) ?? Buffer.alloc(0));
    await send({ body: { sizes: files.map(({ length }) => length) } });
    for (const piece of piecesOf(files)) {
      signal.throwIfAborted();
      await send({ body: {}, parts: [piece] });
    }
  }

  async function authors({ body, send, signal }: IncomingRequest): Promise<void> {
    const { repository, ...span } = body as CommitSpan & { readonly repository: string };
    const found = await sources.authorsOf(repository, span);
    if (found === undefined) throw fetchedAgain();
    if ("problem" in found) {
      await send({ body: { problem: found.problem } satisfies AuthorsItem });
      return;
    }
    for (const part of encodeAuthors(found.authors)) {
      signal.throwIfAborted();
      await send({ body: {} satisfies AuthorsItem, parts: [part] });
    }
  }

  async function lastChange({ body, parts }: IncomingRequest): Promise<object> {
    const { key, tree } = body as { readonly key: string; readonly tree: string };
    const state = followed.stateOf(key);
    if (state?.state !== "ready" || state.revision.tree !== tree) throw new Error("it now has another tree");
    return await state.revision.lastChangeOf(String(parts[0]).split("\0"));
  }

  async function leader(): Promise<Leader> {
    const read = ({ body }: Received): Leader => readLeader(body);
    return await operator
      ?.request("leader", { body: {} }, { read, deadlineMs: LEADER_MS })
      .catch(() => undefined);
  }

  async function answer(request: IncomingRequest, back: AskBack): Promise<Message> {
    switch (request.name) {
      case "follow":
        operator = back;
        await followed.follow(request);
        return { body: {} };
      case "want":
        followed.want(request);
        return { body: {} };
      case "list":
        await list(request);
        return { body: {} };
      case "read":
        await read(request);
        return { body: {} };
      case "authors":
        await authors(request);
        return { body: {} };
      case "last-change":
        return { body: await lastChange(request) };
      case "refresh":
        sources.refresh(request.body as Parameters<LocalSources["refresh"]>[0]);
        return { body: {} };
      default:
        throw new RangeError(`There is no request "${request.name}"`);
    }
  }

  const serve: Serve = async (request, back) => {
    try {
      return await answer(request, back);
    } catch (error) {
      const isOurs = !(error instanceof SourceError) && !request.signal.aborted;
      if (isOurs) log.error("Cannot answer the operator", { request: request.name, error });
      throw error;
    }
  };
  return { serve, urls: () => followed.urls(), sources, leader };
}

/** Parses the operator's answer about the leader. Pure. */
function readLeader(body: unknown): Leader {
  const { leader } = body as { readonly leader?: unknown };
  if (leader === "self") return leader;
  const { address } = (leader ?? {}) as { readonly address?: unknown };
  return typeof address === "string" ? { address } : undefined;
}

/** The part of an error that is sent to the operator, because users see it. */
export function describeSourceError(error: unknown): object {
  if (!(error instanceof SourceError)) return {};
  return { reason: error.reason, message: toMessageText(error.message, MESSAGE) };
}

function filesIn(body: unknown, sources: LocalSources): SourceFiles {
  const { repository, tree } = body as { readonly repository: string; readonly tree: string };
  const files = sources.filesOf(repository, tree);
  if (files !== undefined) return files;
  throw fetchedAgain();
}

function fetchedAgain(): SourceError {
  return new SourceError("SourceUnreachable", "Cannot read the files: the repository is being fetched again");
}

/** Small files are sent together, large files in several pieces. */
function* piecesOf(files: readonly Buffer[]): Generator<Buffer> {
  let [small, bytes]: [Buffer[], number] = [[], 0];
  for (const file of files) {
    for (let at = 0; at < file.length; at += readLimits.pieceBytes) {
      const piece = file.subarray(at, at + readLimits.pieceBytes);
      if (bytes + piece.length > readLimits.pieceBytes) {
        yield Buffer.concat(small);
        [small, bytes] = [[], 0];
      }
      small.push(piece);
      bytes += piece.length;
    }
  }
  if (bytes > 0) yield Buffer.concat(small);
}
