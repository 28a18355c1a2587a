import * as z from "zod";
import { toMilliseconds } from "./duration.ts";
import { defineKind, type ResourceOf, type SpecOf, type StatusOf } from "./kind.ts";

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const objectName = z.string().min(1).max(253).regex(subdomain);
const commitId = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);

/** `500ms`, `90s`, `1m30s`, `2h`: not longer than 7 days, so that no timer overflows. */
function duration(fallback: string, leastMs: number) {
  return z
    .string()
    .max(20)
    .regex(/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/)
    .refine((text) => toMilliseconds(text) >= leastMs && toMilliseconds(text) <= 7 * 24 * 3_600_000, {
      error: `must be between ${leastMs / 1_000}s and 168h`,
    })
    .meta({
      "x-kubernetes-validations": [
        {
          rule: `duration(self) >= duration('${leastMs}ms') && duration(self) <= duration('168h')`,
          message: `must be between ${leastMs / 1_000}s and 168h`,
        },
      ],
    })
    .default(fallback);
}

/** An object in which exactly one of the named fields may be there. */
function oneOf<Shape extends z.core.$ZodShape>(shape: Shape, description: string) {
  const names = Object.keys(shape);
  const message = `exactly one of ${names.join(", ")} must be set`;
  const count = names.map((name) => `(has(self.${name}) ? 1 : 0)`).join(" + ");
  return z
    .object(shape)
    .refine(
      (value) => names.filter((name) => (value as Record<string, unknown>)[name] !== undefined).length === 1,
      {
        error: message,
      },
    )
    .meta({ "x-kubernetes-validations": [{ rule: `${count} == 1`, message }] })
    .describe(description);
}

const secretRef = z
  .object({ name: objectName.describe("Name of a Secret in the Release's namespace.") })
  .describe("A Secret in the Release's namespace.");

const gitRef = oneOf(
  {
    branch: z.string().min(1).max(255).optional().describe("The newest commit of a branch."),
    tag: z.string().min(1).max(255).optional().describe("The commit of one tag."),
    semver: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("The highest tag in a range of semantic versions, such as `>=1.2.0 <2.0.0` or `~1.4`."),
    commit: commitId.optional().describe("One commit, by its full id."),
  },
  "What to take of the repository.",
);

const source = z
  .object({
    url: z
      .string()
      .min(1)
      .max(2_048)
      .describe(
        "The git repository: https://, ssh://, user@host:path, or file:// where the operator allows it.",
      ),
    ref: gitRef.default({ branch: "main" }),
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
  .describe("Where the Release comes from.");

const render = oneOf(
  {
    manifests: z
      .object({})
      .optional()
      .describe("The YAML and JSON files of the folder, as they are; `.fairleadignore` leaves files out."),
    program: z
      .object({
        entry: z
          .string()
          .min(1)
          .max(1_024)
          .default("main.ts")
          .describe("The program's file, below the source path."),
        inputs: z
          .unknown()
          .optional()
          .meta({ "x-kubernetes-preserve-unknown-fields": true })
          .describe("Any JSON, given to the program as a value."),
        timeout: duration("30s", 100).describe("Longest run of the program."),
      })
      .optional()
      .describe("A TypeScript program that makes the objects with cdk8s."),
  },
  "How the source becomes manifests.",
);

const target = z
  .object({
    namespace: objectName
      .max(63)
      .optional()
      .describe("Namespace of objects that name none. Default: the Release's own."),
    createNamespace: z.boolean().default(false).describe("Make the target namespace if it is not there."),
    serviceAccountName: objectName
      .optional()
      .describe("ServiceAccount of the Release's namespace whose rights every request for this Release has."),
    labels: z.record(z.string(), z.string()).optional().describe("Put on every object."),
    annotations: z.record(z.string(), z.string()).optional().describe("Put on every object."),
  })
  .describe("Where the objects go.");

const healthCheck = z
  .object({
    apiVersion: z.string().min(1).max(316),
    kind: z.string().min(1).max(63),
    current: z.string().min(1).max(4_096).describe("CEL over the object's fields: all is well."),
    inProgress: z.string().min(1).max(4_096).optional().describe("CEL: on its way. Asked first."),
    failed: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe("CEL: it will not get well by itself. Asked second."),
  })
  .describe("How objects of one kind are judged.");

const historyEntry = z
  .object({
    revision: commitId.describe("The commit that was deployed."),
    digest: z.string().describe("Digest over all manifests of it."),
    author: z.string().describe("Who wrote the commit."),
    subject: z.string().describe("First line of its message."),
    committedAt: z.string().describe("When it was committed, RFC 3339."),
    deployedAt: z.string().describe("When it was applied as a whole, RFC 3339."),
    outcome: z
      .enum(["Progressing", "Ready", "Failed", "Superseded"])
      .describe("What came of it: `Superseded` means that another revision came before it was ready."),
  })
  .describe("One deployed revision.");

/** One folder of manifests, or one TypeScript program, from a git commit at one place in a cluster. */
export const Release = defineKind({
  group: "fairlead.dev",
  kind: "Release",
  plural: "releases",
  shortNames: ["rel"],
  description: "Release puts what a git commit says at one place in the cluster, and keeps it so.",
  versions: [
    {
      name: "v1alpha1",
      spec: z
        .object({
          source,
          interval: duration("1m", 1_000).describe("How often the remote is asked for something new."),
          render,
          target: target.default({ createNamespace: false }),
          dependsOn: z
            .array(
              z.object({
                name: objectName.describe("Name of a Release."),
                namespace: objectName
                  .max(63)
                  .optional()
                  .describe("Its namespace. Default: this Release's own."),
              }),
            )
            .max(64)
            .optional()
            .describe("Releases that must be ready at their newest revision before this one is applied."),
          prune: z.boolean().default(true).describe("Delete objects that are no longer in the source."),
          deletionPolicy: z
            .enum(["Delete", "Orphan"])
            .default("Delete")
            .describe("What becomes of the objects when the Release is deleted."),
          timeout: duration("5m", 1_000).describe("An object that is not healthy by then has failed."),
          healthChecks: z.array(healthCheck).max(32).optional().describe("Health by CEL, per kind."),
          publish: z
            .object({
              branch: z
                .string()
                .min(1)
                .max(255)
                .optional()
                .describe("Branch of the operator's repository. Default: its own."),
              path: z
                .string()
                .max(1_024)
                .optional()
                .describe("Folder on that branch. Default: the one of every resource."),
            })
            .optional()
            .describe("Where the rendered manifests are committed. Without a repository nothing is."),
          suspend: z.boolean().default(false).describe("Leave everything as it is."),
          revision: commitId
            .optional()
            .describe("Deploy this commit instead of what `source.ref` says: to roll back, and stay there."),
        })
        .describe("What to deploy, and where."),
      status: z.object({
        revision: z
          .string()
          .optional()
          .describe("Newest commit that changed what is deployed, and is applied as a whole."),
        attempted: z.string().optional().describe("The commit that is worked on, or that failed."),
        observedHead: z
          .string()
          .optional()
          .describe("Commit that the source's ref named when it was last looked at."),
        lastHandledRequest: z
          .string()
          .optional()
          .describe("Value of the annotation fairlead.dev/requested-at that was acted on last."),
        inventory: z
          .object({
            entries: z
              .array(z.string())
              .describe(
                "Every object: `group/Kind/namespace/name`, sorted; an empty group is the core group.",
              ),
          })
          .optional()
          .describe(
            "The objects of this Release. Information for people: what is pruned is decided by labels and managers.",
          ),
        history: z.array(historyEntry).max(10).optional().describe("What was deployed, newest first."),
      }),
    },
  ],
  columns: [
    { name: "Revision", type: "string", jsonPath: ".status.revision", description: "Deployed commit." },
    {
      name: "Message",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      description: "Why it is ready, or why not.",
      priority: 1,
    },
  ],
});

export type ReleaseResource = ResourceOf<typeof Release>;
export type ReleaseSpec = SpecOf<typeof Release>;
export type ReleaseStatus = StatusOf<typeof Release>;
export type ReleaseHistoryEntry = z.output<typeof historyEntry>;

/** Annotations that people and the command line put on a Release. */
export const releaseAnnotations = {
  /** Any text, such as a time: a new one makes the operator look at the remote at once. */
  requestedAt: "fairlead.dev/requested-at",
  /** A commit: what it would prune is approved. */
  approvePrune: "fairlead.dev/approve-prune",
} as const;
