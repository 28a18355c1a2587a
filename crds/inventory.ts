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
      "Number of objects of the last complete deployment: deleting more than half of them needs approval.",
    ),
  waves: z
    .array(z.array(z.string()))
    .optional()
    .describe("Entries in apply order, if a program declares one; pruned in reverse."),
  finished: z
    .array(z.string())
    .optional()
    .describe(
      "Complete Jobs with a time to live, with the digest of what ran: they are not recreated after their deletion.",
    ),
});

export type Inventory = z.output<typeof inventory>;
