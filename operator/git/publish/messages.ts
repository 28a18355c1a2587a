import * as z from "zod";
import { objectId, plain, plainText as text } from "../zone-messages.ts";

// The messages between the operator and the publish zone. Messages of the zone are untrusted.

/** Name of the zone in the protocol. */
export const PUBLISH_ZONE = "publish";

/** Limits for the content of a branch below the root. The operator disconnects a zone that sends more. */
export const branchLimits = {
  /** Number of folders of resources and of files beside them. */
  entries: 100_000,
  /** Characters of one path. */
  pathCharacters: 1_024,
  /** Characters of all paths. */
  characters: 16 * 2 ** 20,
} as const;

/** Bytes of a commit in one request. */
export const COMMIT_PART_BYTES = 2 ** 20;

/** Longest message of a failure. */
export const MESSAGE = 600;
/** Maximum length of a reported path of a lock file, so that a message with it is not cut. */
export const LOCK_PATH = 300;
const format = z.enum(["sha1", "sha256"]);

/** Body of the answers to `check`, `tidy`, `close` and `commit-part`. */
export const emptyAnswer = z.strictObject({});
/** Body of the answers to `open` and `rebuild`. */
export const formatAnswer = z.strictObject({ format });
/** Body of the answer to `head`. */
export const headAnswer = z.strictObject({ head: objectId.optional() });
/** Body of the answer to `has`. */
export const hasAnswer = z.strictObject({ has: z.boolean() });
/** Body of the answers to `fetch` and `commit`. */
export const commitAnswer = z.strictObject({ commit: objectId });
/** Body of the answer to `push`. */
export const pushAnswer = z.strictObject({
  push: z.union([z.enum(["pushed", "moved"]), z.strictObject({ lockedBy: text(LOCK_PATH) })]),
});

/** Body of an item of the answer to `read`; its part is a list. */
export const listItem = z.strictObject({ list: z.enum(["trees", "files"]) });
/** Body of the last item of the answer to `read`, after the lists. */
export const readAnswer = z.strictObject({
  ownerFile: z
    .union([
      z.literal("unreadable"),
      z.strictObject({
        owner: z.strictObject({ cluster: text(2_048), lease: text(2_048) }),
        approveSweep: text(256).optional(),
      }),
    ])
    .optional(),
  lease: z.strictObject({ leaseUid: text(256), transitions: z.int().min(0) }).optional(),
});
export type ReadAnswer = z.output<typeof readAnswer>;

/** Body of an error answer. */
export const errorBody = z.strictObject({
  reason: z.enum(["Credentials", "CacheBroken", "ObjectFormat", "PushRefused", "RepositoryUnreachable"]),
  message: text(MESSAGE),
  /** The zone killed a git process. */
  killed: z.boolean(),
});
export type ErrorBody = z.output<typeof errorBody>;

/**
 * Whether a path is short and has no character that changes how it is displayed: the folders of resources fulfil both.
 * Pure.
 */
export function isPlainPath(path: string): boolean {
  return path.length <= branchLimits.pathCharacters && plain.test(path);
}

// Requests of the operator. The body of each names a clone.

/** A number by which the operator identifies a clone that it opened over the same connection. */
const clone = z.int().min(1);
/** Fields of every request that names a clone. */
export const cloneRequest = z.object({ clone });
export const openRequest = z.strictObject({ clone, branch: z.string().min(1), root: z.string() });
export const hasRequest = z.strictObject({ clone, commit: objectId });
export const readRequest = z.strictObject({ clone, head: objectId });
/** Requests `commit-part` and `commit`; the part belongs to the stream of the commit. */
export const commitRequest = z.strictObject({ clone, isFirst: z.boolean() });
export const pushRequest = z.strictObject({ clone, commit: objectId, parent: objectId.optional() });
export const rebuildRequest = z.strictObject({ clone, format });
