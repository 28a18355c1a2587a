import * as z from "zod";

/** The objects of a set, as the status of its resource records them before they are first applied. */
export const inventory = z.object({
  entries: z
    .array(z.string())
    .describe(
      "Every object that may belong to this Release: `group/Kind/namespace/name`, sorted; an empty group is the core group. Written before an object is first applied.",
    ),
  deployed: z
    .int()
    .min(0)
    .optional()
    .describe(
      "How many objects the last complete deployment had: more than half of them go only if approved.",
    ),
  waves: z
    .array(z.array(z.string()))
    .optional()
    .describe("Entries in the order of applying, where a program declares one; pruned in reverse."),
  finished: z
    .array(z.string())
    .optional()
    .describe(
      "Jobs with a time to live that are complete, with the digest of what ran: they are not made again when they go.",
    ),
});

export type Inventory = z.output<typeof inventory>;
