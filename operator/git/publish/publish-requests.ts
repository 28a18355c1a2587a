import * as z from "zod";
import { objectId } from "./messages.ts";

// The requests of the operator to the publish zone.

const clone = z.int().min(1);

/** Names a clone that was opened over the same connection. */
export const cloneRequest = z.object({ clone });
export const openRequest = z.strictObject({ clone, branch: z.string().min(1), root: z.string() });
export const hasRequest = z.strictObject({ clone, commit: objectId });
export const readRequest = z.strictObject({ clone, head: objectId });
/** `commit-part` and `commit`; the part is of the stream of the commit. */
export const commitRequest = z.strictObject({ clone, isFirst: z.boolean() });
export const pushRequest = z.strictObject({ clone, commit: objectId, parent: objectId.optional() });
export const rebuildRequest = z.strictObject({ clone, format: z.enum(["sha1", "sha256"]) });
