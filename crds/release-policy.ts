import * as z from "zod";
import { defineKind } from "./kind.ts";
import { objectName } from "./release-source.ts";

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
    .describe("Kinds that Releases may not deploy, also if they are allowed."),
  clusterScoped: z
    .boolean()
    .optional()
    .describe("Whether Releases may deploy objects without a namespace. Default: true."),
});

const count = z.int().min(0).max(1_000_000_000);

const quotas = z.strictObject({
  releases: count.optional().describe("Releases per namespace; the oldest ones are deployed."),
  repositoryBytes: count
    .min(1_048_576)
    .optional()
    .describe("Bytes of the clone of a Release's repository; at least 1 MiB."),
  programSeconds: z
    .int()
    .min(1)
    .max(604_800)
    .optional()
    .describe("Longest run of a program, in seconds; caps `spec.render.program.timeout`."),
  programSecondsPerHour: z
    .int()
    .min(1)
    .max(604_800)
    .optional()
    .describe("Seconds that the programs of a namespace may run within an hour, in all; others wait."),
  objects: count.optional().describe("Objects per Release."),
  renderedBytes: count.optional().describe("Bytes of a Release's manifests, as JSON."),
});

/** Limits of the platform for the Releases of a namespace. An absent field adds no limit to the default. */
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
      "URLs that `spec.source.url` must begin with, compared by path segments. Default: every URL but those of the operator's own node.",
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
          "SSH and OpenPGP public keys. One of them must have signed the commit, whatever the Release says.",
        ),
    })
    .optional()
    .describe("Signatures of commits."),
  publish: z
    .array(publishPlace)
    .max(64)
    .optional()
    .describe(
      "Places that Releases may name in `spec.publish`, besides their own folder at the operator's own place. Default: none.",
    ),
  kinds: kinds.optional().describe("Kinds of objects that Releases may deploy."),
  serviceAccountName: objectName
    .optional()
    .describe(
      "ServiceAccount of Releases that name none. It is one of the Release's namespace, and is used for deletions too.",
    ),
  quotas: quotas.optional().describe("Limits of size."),
});

const namespaces = z
  .strictObject({
    names: z
      .array(z.string().regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?|[-a-z0-9]*\*)$/))
      .max(1_024)
      .optional()
      .describe("Names of namespaces; `*` at the end matches any rest."),
    matchLabels: z
      .record(z.string(), z.string())
      .optional()
      .describe("Labels that the Namespace must have. Not for operators that run with `--namespace`."),
  })
  .describe(
    "Namespaces that the rule holds for: those that match all fields. Without fields: all namespaces.",
  );

/** Limits on what the Releases of some namespaces may use. Only the platform writes it. */
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
          .min(1)
          .max(256)
          .describe(
            "Rules; each of those that select a namespace must allow what a Release of that namespace asks for.",
          ),
      }),
    },
  ],
});

export type ReleaseRule = z.output<typeof releaseRule>;
export type NamespaceSelector = z.output<typeof namespaces>;
