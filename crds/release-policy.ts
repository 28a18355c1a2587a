import * as z from "zod";
import { defineKind } from "./kind.ts";
import { objectName } from "./source.ts";

const publishPlace = z
  .strictObject({
    branch: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        "Branch of the operator's repository; `*` at the end matches any suffix. Default: the branch of the operator.",
      ),
    path: z
      .string()
      .max(1_024)
      .optional()
      .describe(
        "Folder on that branch, including the folders below it; `.` is the whole branch. Default: the folder of the operator, without the folders below it.",
      ),
  })
  .describe("A location in the operator's repository.");

const groupKind = z
  .strictObject({
    group: z.string().max(253).default("").describe("API group; empty is the core group, `*` is any group."),
    kind: z.string().min(1).max(63).describe("Kind, such as Deployment; `*` is any kind."),
  })
  .describe("A kind of objects.");

const kinds = z.strictObject({
  allowed: z
    .array(groupKind)
    .max(256)
    .optional()
    .describe("Kinds that Releases may deploy. Default: all kinds."),
  denied: z
    .array(groupKind)
    .max(256)
    .optional()
    .describe("Kinds that Releases may not deploy, even if they are allowed."),
  clusterScoped: z
    .boolean()
    .optional()
    .describe("Whether Releases may deploy objects without a namespace. Default: true."),
});

const count = z.int().min(0).max(1_000_000_000);

const quotas = z.strictObject({
  releases: count.optional().describe("Number of Releases per namespace; only the oldest ones are deployed."),
  repositoryBytes: count
    .min(1_048_576)
    .optional()
    .describe("Size limit of the clone of a Release's repository, in bytes; at least 1 MiB."),
  programSeconds: z
    .int()
    .min(1)
    .max(604_800)
    .optional()
    .describe("Upper limit of `spec.render.program.timeout`, in seconds."),
  programSecondsPerHour: z
    .int()
    .min(1)
    .max(604_800)
    .optional()
    .describe("Total seconds that the programs of a namespace may run per hour; further runs wait."),
  objects: count.optional().describe("Number of objects per Release."),
  renderedBytes: count.optional().describe("Size of a Release's manifests as JSON, in bytes."),
});

/** Limits of the platform for the Releases of a namespace. For an absent field the default applies. */
export const releaseRule = z.strictObject({
  sources: z
    .array(
      z
        .string()
        .max(2_048)
        .regex(/^(https|ssh|file):\/\/[!-~]*$/, {
          error: "expected a URL that begins with https://, ssh:// or file:///",
        }),
    )
    .max(256)
    .optional()
    .describe(
      "URLs that `spec.source.url` must begin with, compared by path segments. Default: every URL except those of the operator's own node.",
    ),
  verify: z
    .strictObject({
      required: z.boolean().describe("Refuse Releases without `spec.source.verify`."),
      keys: z
        .array(
          z
            .string()
            .max(16_384)
            .regex(/^(ssh-|ecdsa-|sk-|-----BEGIN PGP PUBLIC KEY BLOCK-----)/, {
              error: "expected an SSH public key, or an armored OpenPGP public key",
            }),
        )
        .min(1)
        .max(64)
        .optional()
        .describe(
          "SSH and OpenPGP public keys. One of them must have signed the commit, regardless of the Release's spec.",
        ),
    })
    .optional()
    .describe("Signatures of commits."),
  publish: z
    .array(publishPlace)
    .max(64)
    .optional()
    .describe(
      "Locations that Releases may set in `spec.publish`, in addition to their folder at the operator's location. Default: none.",
    ),
  kinds: kinds.optional().describe("Kinds of objects that Releases may deploy."),
  serviceAccountName: objectName
    .optional()
    .describe(
      "ServiceAccount, in the Release's namespace, of Releases that name none. It is used for deletions too.",
    ),
  quotas: quotas.optional().describe("Quotas."),
});

const namespaces = z
  .strictObject({
    names: z
      .array(z.string().regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?|[-a-z0-9]*\*)$/))
      .max(1_024)
      .optional()
      .describe("Names of namespaces; `*` at the end matches any suffix."),
    matchLabels: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        "Labels that the Namespace must have. Not supported by operators that run with `--namespace`.",
      ),
  })
  .describe("Namespaces that the rule selects: those that match all fields. Without fields: all namespaces.");

const author = z
  .strictObject({
    user: z.string().min(1).max(512).describe("User name in the cluster, as in `spec.by` of an Approval."),
    emails: z
      .array(z.string().min(3).max(320))
      .min(1)
      .max(64)
      .describe("Addresses of the user in commits. Not case-sensitive."),
  })
  .describe("A user who authors commits.");

/** Limits for the Releases of some namespaces. Only the platform may write it. */
export const ReleasePolicy = defineKind({
  group: "fairlead.dev",
  kind: "ReleasePolicy",
  plural: "releasepolicies",
  shortNames: ["relpol"],
  scope: "Cluster",
  description: "ReleasePolicy limits what the Releases of some namespaces may use.",
  hasStatus: false,
  versions: [
    {
      name: "v1alpha1",
      spec: z.object({
        rules: z
          .array(releaseRule.extend({ namespaces }))
          .max(256)
          .default([])
          .describe(
            "Rules. Every rule that selects a namespace must allow the spec of a Release in that namespace.",
          ),
        authors: z
          .array(author)
          .max(4_096)
          .optional()
          .describe(
            "E-mail addresses of users in commits, in all namespaces: stages of Pipelines with `notAuthor` accept no approval of an author, and none while an address is not listed here.",
          ),
      }),
    },
  ],
});

export type CommitAuthor = z.output<typeof author>;
export type ReleaseRule = z.output<typeof releaseRule>;
export type NamespaceSelector = z.output<typeof namespaces>;
