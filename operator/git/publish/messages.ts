import * as z from "zod";
import { objectId, plain, plainText as text } from "../zone-messages.ts";

// The messages between the operator and the publish zone. Messages of the zone are untrusted.

/** Name of the zone in the protocol. */
export const PUBLISH_ZONE = "publish";

/** Bounds of what is on a branch below our root. The operator disconnects a zone that sends more. */
export const branchLimits = {
  /** Folders of resources, and files beside them. */
  entries: 100_000,
  /** Of one path. */
  pathCharacters: 1_024,
  /** Of all paths. */
  characters: 16 * 2 ** 20,
} as const;

/** Bytes of a commit in one request. */
export const COMMIT_PART_BYTES = 2 ** 20;

/** Longest message of a failure. */
export const MESSAGE = 600;
/** Longest path of a lock file that is reported, so that a message with it is not cut. */
export const LOCK_PATH = 300;
const format = z.enum(["sha1", "sha256"]);

/** Body of the answers to `check`, `tidy`, `close` and `commit-part`. */
export const emptyAnswer = z.strictObject({});
/** Of `open` and `rebuild`. */
export const formatAnswer = z.strictObject({ format });
/** Of `head`. */
export const headAnswer = z.strictObject({ head: objectId.optional() });
/** Of `has`. */
export const hasAnswer = z.strictObject({ has: z.boolean() });
/** Of `fetch` and `commit`. */
export const commitAnswer = z.strictObject({ commit: objectId });
/** Of `push`. */
export const pushAnswer = z.strictObject({
  push: z.union([z.enum(["landed", "moved"]), z.strictObject({ lockedBy: text(LOCK_PATH) })]),
});

/** Body of an item of the answer to `read`; its part is a list. */
export const listItem = z.strictObject({ list: z.enum(["trees", "files"]) });
/** Of `read`, behind the lists. */
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
  /** A git process was ended by the zone. */
  killed: z.boolean(),
});
export type ErrorBody = z.output<typeof errorBody>;

/** Whether a path is short and has no character that changes how it is shown: no folder of a resource has such. Pure. */
export function isPlainPath(path: string): boolean {
  return path.length <= branchLimits.pathCharacters && plain.test(path);
}

// Requests of the operator. The body of each names a clone.

/** A number by which the operator names a clone that it opened over the same connection. */
const clone = z.int().min(1);
/** What every request that names a clone has. */
export const cloneRequest = z.object({ clone });
export const openRequest = z.strictObject({ clone, branch: z.string().min(1), root: z.string() });
export const hasRequest = z.strictObject({ clone, commit: objectId });
export const readRequest = z.strictObject({ clone, head: objectId });
/** `commit-part` and `commit`; the part is of the stream of the commit. */
export const commitRequest = z.strictObject({ clone, isFirst: z.boolean() });
export const pushRequest = z.strictObject({ clone, commit: objectId, parent: objectId.optional() });
export const rebuildRequest = z.strictObject({ clone, format });
