import * as z from "zod";
import { exactlyOne } from "./exactly-one.ts";

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** A DNS subdomain, as the names of most objects. */
export const objectName = z.string().min(1).max(253).regex(subdomain);
/** The full id of a commit, SHA-1 or SHA-256. */
export const commitId = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);

const secretRef = z
  .object({ name: objectName.describe("Name of a Secret in the Release's namespace.") })
  .describe("A Secret in the Release's namespace.");

/** A DNS label, such as the name of a stage: without a dot. */
const label = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

const gitRef = exactlyOne(
  {
    branch: z.string().min(1).max(255).optional().describe("The newest commit of a branch."),
    tag: z.string().min(1).max(255).optional().describe("The commit of one tag."),
    semver: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("The highest tag in a range of semantic versions, such as `>=1.2.0 <2.0.0` or `~1.4`."),
    commit: commitId.optional().describe("One commit, as its full id."),
    pipeline: objectName
      .optional()
      .describe(
        "Name of a Pipeline that sets `spec.revision`. Until it does, the Release keeps the deployed commit.",
      ),
  },
  "Ref of the repository to deploy. Default: the branch `main`.",
  {
    // The server set this default in Releases of earlier versions.
    onceDefault: ["branch", "main"],
    beside: {
      name: "pipeline",
      needs: { stage: label.optional().describe("Stage of the Pipeline that this Release belongs to.") },
      allows: {
        namespace: objectName
          .max(63)
          .optional()
          .describe("Namespace of the Pipeline. Default: that of the Release."),
      },
    },
  },
);

type GitRef = z.output<typeof gitRef>;

/** Ref of a source: the branch `main` by default. A branch is ignored if there is another field. Pure. */
export function refOf({ ref = {} }: { readonly ref?: GitRef | undefined }): GitRef {
  const { branch = "main", ...others } = ref;
  return Object.values(others).some((value) => value !== undefined) ? others : { branch };
}

/** The source of a Release. */
export const releaseSource = z
  .object({
    url: z
      .string()
      .min(1)
      .max(2_048)
      .describe(
        "The git repository: https://, ssh://, user@host:path, or file:// where the operator allows it.",
      ),
    ref: gitRef.optional(),
    path: z.string().max(1_024).default(".").describe("Folder in the repository. Default: its root."),
    secretRef: secretRef
      .optional()
      .describe(
        "Credentials: `username` and `password`, `bearerToken`, or `identity` and `known_hosts`; `ca.crt` for https.",
      ),
    verify: z
      .object({
        secretRef: secretRef.describe(
          "Keys that may sign: entries ending in `.pub` are SSH public keys, in `.asc` OpenPGP public keys.",
        ),
      })
      .optional()
      .describe("Deploy only commits that one of these keys signed."),
  })
  .describe("Source of the Release.");

export type SourceSpec = z.output<typeof releaseSource>;
