import * as z from "zod";

const publishPlace = z
  .strictObject({
    branch: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        "Branch of the operator's repository; `*` at the end matches any rest. Default: the operator's own branch.",
      ),
    path: z
      .string()
      .max(1_024)
      .optional()
      .describe(
        "Folder on that branch, including the folders below it; `.` is the whole branch. Default: the operator's own folder, without the folders below it.",
      ),
  })
  .describe("A place on the operator's repository.");

/** What the platform allows to the Releases of a namespace. An absent field adds no limit to the default. */
export const releaseRule = z.strictObject({
  publish: z
    .array(publishPlace)
    .max(64)
    .optional()
    .describe(
      "Places that Releases may name in `spec.publish`, besides their own folder at the operator's own place. Default: none.",
    ),
});

export type ReleaseRule = z.output<typeof releaseRule>;
