import type { Logger } from "../../ports.ts";
import type { IncomingRequest, Serve } from "../../zones/incoming-requests.ts";
import { GitError, isGitError } from "../git-errors.ts";
import type { IsolationItem } from "../zone-messages.ts";
import type { BranchView } from "./branch-clone.ts";
import { encodeBranchLists } from "./branch-list.ts";
import type { LocalClone } from "./local-clone.ts";
import {
  cloneRequest,
  commitRequest,
  hasRequest,
  openRequest,
  pushRequest,
  type ReadAnswer,
  readAnswer,
  readRequest,
  rebuildRequest,
} from "./messages.ts";
import { OpenClones } from "./open-clones.ts";
import { isUnexpected } from "./publish-failure.ts";

export interface PublishServiceOptions {
  /** Creates a clone for a branch of the repository and a folder on it. */
  readonly createClone: (place: { readonly branch: string; readonly root: string }) => LocalClone;
  /** Checks that authentication at the repository succeeds. @throws GitError `Credentials` */
  readonly check: () => Promise<unknown>;
  readonly log: Logger;
  /** Kernel isolation of this process, and of git. */
  readonly isolation: IsolationItem["isolation"];
  /** Why nothing may be published: the kernel lacks required isolation of git. Default: everything may be published. */
  readonly refusal?: string | undefined;
}

export interface PublishService {
  readonly serve: Serve;
  /** Kills all git processes. */
  close(): Promise<void>;
}

/** The requests that the publish zone serves: it runs git in the clones that the operator opens over one connection. */
export function createPublishService(options: PublishServiceOptions): PublishService {
  const { createClone, check, log, isolation, refusal } = options;
  const clones = new OpenClones();

  async function read(clone: LocalClone, { body, send, signal }: IncomingRequest): Promise<ReadAnswer> {
    const view = await clone.readBranch(readRequest.parse(body).head);
    for (const { list, part } of encodeBranchLists(view)) {
      signal.throwIfAborted();
      await send({ body: { list }, parts: [part] });
    }
    return toReadAnswer(view);
  }

  async function use(clone: LocalClone, request: IncomingRequest): Promise<object> {
    const { name, body, parts } = request;
    const [part = Buffer.alloc(0)] = parts;
    switch (name) {
      case "head":
        return { head: await clone.readHead() };
      case "has":
        return { has: await clone.has(hasRequest.parse(body).commit) };
      case "fetch":
        return { commit: await clone.fetch() };
      case "read":
        return await read(clone, request);
      case "commit-part":
        await clone.addToCommit(part, commitRequest.parse(body));
        return {};
      case "commit":
        return { commit: await clone.endCommit(part, commitRequest.parse(body)) };
      case "push": {
        const { commit, parent } = pushRequest.parse(body);
        return { push: await clone.push({ commit, parent }) };
      }
      case "tidy":
        await clone.tidy();
        return {};
      case "rebuild":
        await clone.rebuild(rebuildRequest.parse(body).format);
        return { format: clone.format };
      default:
        throw new RangeError(`There is no request "${name}"`);
    }
  }

  async function answer(request: IncomingRequest): Promise<object> {
    const { name, body, signal, send } = request;
    if (name === "check") {
      await check();
      return {};
    }
    if (name === "hold") {
      void send({ body: { isolation } satisfies IsolationItem });
      await clones.hold(signal);
      return {};
    }
    const { clone } = cloneRequest.parse(body);
    if (name === "open") {
      if (refusal !== undefined) throw new GitError("RepositoryUnreachable", refusal);
      const { branch, root } = openRequest.parse(body);
      return { format: await clones.open(clone, signal, () => createClone({ branch, root })) };
    }
    if (name === "close") {
      await clones.close(clone);
      return {};
    }
    return await clones.use(clone, (opened) => use(opened, request));
  }

  const serve: Serve = async (request) => {
    try {
      return { body: await answer(request) };
    } catch (error) {
      const isOurs = isUnexpected(error) && !isGitError(error, "Credentials") && !request.signal.aborted;
      if (isOurs) log.error("Cannot answer the operator", { request: request.name, error });
      throw error;
    }
  };
  return { serve, close: () => clones.closeAll() };
}

/** The part of a branch that fits into messages: texts beyond the limits were not written by the operator. Pure. */
function toReadAnswer({ ownerFile, lease }: BranchView): ReadAnswer {
  const { data: told } = readAnswer.safeParse({ lease });
  const { data: owned } = readAnswer.safeParse({ ownerFile });
  return { ...(told ?? {}), ...(owned ?? { ownerFile: "unreadable" }) };
}
