import * as z from "zod";
import { hookOutcomes } from "../../hooks/hook.ts";
import { isolationItem, objectId, plainText as text } from "../zone-messages.ts";
import type { SourceRequest } from "./ports.ts";
import { spanProblems } from "./span-authors.ts";

// The messages between the operator and the source zone. Messages of the zone are untrusted.

/** Name of the zone in the protocol. */
export const SOURCE_ZONE = "source";

/**
 * A part of a request `want`: what one resource needs from now on. The body says whether it is the last part of the
 * operator's complete list; then the zone drops all other resources.
 */
export interface WantItem {
  readonly key: string;
  /** Changes with the request. A state carries the version of the request that it answers. */
  readonly version: number;
  /** Undefined: the resource no longer needs its source. */
  readonly request?: Omit<SourceRequest, "key" | "credentials" | "signers" | "requestedAt"> & {
    readonly credentials?: readonly (readonly [string, string])[] | undefined;
    readonly signers?: readonly (readonly [string, string])[] | undefined;
    /** A number that identifies the value of the annotation. */
    readonly requested?: number | undefined;
  };
}

/** Limits for an answer to `list`. The zone rejects a larger folder; the operator disconnects a zone that does not. */
export const listLimits = {
  entries: 20_000,
  /** Characters of one path, as `PATH_MAX` of Linux. */
  pathCharacters: 4_096,
  /** Characters of all paths. */
  characters: 8 * 2 ** 20,
} as const;

/** Limits for one request `read`. */
export const readLimits = {
  files: 500,
  /** As `SourceFiles.read()` allows. */
  bytes: 64 * 2 ** 20,
  /** Bytes of one item. */
  pieceBytes: 2 ** 20,
} as const;

/** Longest message of a failure. */
export const MESSAGE = 2_000;

const count = z.int().min(0);

const commit = z.strictObject({
  id: objectId,
  author: text(100),
  subject: text(200),
  committedAt: z.string().regex(/^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/),
});

const failure = z.strictObject({
  reason: z.enum([
    "SourceUnreachable",
    "SourceRefused",
    "SourceNotFound",
    "SourceInvalid",
    "SourceNotVerified",
    // A repository that is larger than the limit for a clone.
    "RenderLimit",
  ]),
  message: text(MESSAGE),
});

export type FailureItem = z.output<typeof failure>;

/**
 * The reason as a state may have it. An unknown reason would end the connection, and with it the sources of all
 * resources.
 */
export function toFailureReason(reason: string): FailureItem["reason"] {
  return failure.shape.reason.safeParse(reason).data ?? "SourceInvalid";
}

/** The state of one source. */
export const stateItem = z.strictObject({
  // The key of a resource, and for a resource of a kind the kind's name.
  key: z.string().max(640),
  version: count,
  state: z.union([
    z.strictObject({
      head: commit,
      changed: commit,
      /** The clone's history does not reach back to the change. */
      assumed: z.boolean().optional(),
      tree: objectId,
      /** The number of the newest request that was handled. */
      handled: count.optional(),
      stale: failure.optional(),
    }),
    failure.extend({ handled: count.optional() }),
  ]),
});
export type StateItem = z.output<typeof stateItem>;

/** Counters since the start of the zone, for metrics. */
export const countsItem = z.strictObject({
  counts: z.strictObject({ polls: count, fetches: count, rebuilds: count, notified: count }),
  hooks: z.partialRecord(z.enum(hookOutcomes), count),
});
export type CountsItem = z.output<typeof countsItem>;

/** Body of an item of the response to `follow`, which lasts until the connection ends. */
export const followItem = z.union([stateItem, countsItem, isolationItem]);

/** Body of the answer to `last-change`. */
export const lastChangeAnswer = commit;

/** Body of the first item of the answer to `read`: the sizes of the files. Their bytes follow in pieces. */
export const readItem = z.strictObject({ sizes: z.array(count).max(readLimits.files) });

/** Body of an item of the answer to `authors`: why they cannot be determined, or nothing, with a part of the list. */
export const authorsItem = z.strictObject({
  problem: z.strictObject({ is: z.enum(spanProblems), commit: objectId.optional() }).optional(),
});
export type AuthorsItem = z.output<typeof authorsItem>;

/** Body of an error answer to `list`, `read` and `authors`. */
export const errorBody = z.strictObject({
  reason: z.enum([...failure.shape.reason.options, "RenderFailed"]).optional(),
  message: text(MESSAGE).optional(),
});
