import * as z from "zod";
import { type ReleaseRule, releaseRule } from "../../../crds/release-policy.ts";
import { bindAddress, duration, flag, size } from "../../config/option-values.ts";

/** The options for Releases, in the format of `operatorOptions` in config.ts. */
export const releaseOptions = {
  releases: {
    flag: "releases",
    help: "Reconcile Releases, which deploy manifests from git repositories",
    fallback: "false",
  },
  releasePipelines: {
    flag: "release-pipelines",
    help: "With --releases: reconcile Pipelines and Promotions, too",
    fallback: "true",
  },
  releaseCache: {
    flag: "release-cache",
    value: "DIR",
    help: "Cache folder for clones and renders of Releases; default: next to the repository's clone",
  },
  releaseCacheSize: {
    flag: "release-cache-size",
    value: "SIZE",
    help: "Disk limit for all clones of Releases; one namespace may use a quarter of it",
    fallback: "2Gi",
  },
  releaseFileRemotes: {
    flag: "release-file-remotes",
    help: "Allow file:// repositories as sources of Releases; default: only outside a cluster",
  },
  releaseRequireServiceAccount: {
    flag: "release-require-service-account",
    help: "Refuse Releases that name no ServiceAccount to act as",
    fallback: "false",
  },
  releaseProgramTimeout: {
    flag: "release-program-timeout",
    value: "TIME",
    help: "Upper limit of the timeout that a Release sets for its program",
    fallback: "5m",
  },
  releaseRequireSandbox: {
    flag: "release-require-sandbox",
    help: "Refuse to run programs, poll git repositories or publish where the kernel does not isolate their processes",
    fallback: "false",
  },
  zoneSockets: {
    flag: "zone-sockets",
    value: "DIR",
    help: "Folder with the sockets of zones that run in other containers; default: the operator starts the zones",
  },
  releasePolicy: {
    flag: "release-policy",
    value: "JSON",
    help: "Limits for Releases, as JSON: a rule of a ReleasePolicy",
  },
  releaseMemory: {
    flag: "release-memory",
    value: "SIZE",
    help: "Memory limit of rendered objects, and of programs if the operator starts the zones; default: the container's limit, or 2Gi",
  },
  hookBindAddress: {
    flag: "hook-bind-address",
    value: "ADDRESS",
    help: "Address of /hooks, where git hosts report pushes; 0 disables it",
    fallback: "0",
  },
  hookSecrets: {
    flag: "hook-secrets",
    value: "DIR",
    help: "Folder with one file per hook: the secret shared with its sender",
  },
} as const;

/** A rule of a ReleasePolicy, as JSON. */
const releaseRuleText = z.string().transform((text, context): ReleaseRule => {
  const { success, data, error } = releaseRule.safeParse(parseJson(text));
  if (success) return data;
  const [issue] = error.issues;
  const where = issue?.path.join(".") ?? "";
  const message = `expected a rule of a ReleasePolicy as JSON: ${where}${where === "" ? "" : ": "}${issue?.message}`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Validators of these options. */
export const releaseOptionShapes = {
  releases: flag,
  releasePipelines: flag,
  releaseCache: z.string().min(1).optional(),
  releaseCacheSize: size,
  releaseFileRemotes: flag.optional(),
  releaseRequireServiceAccount: flag,
  releaseProgramTimeout: duration,
  releaseRequireSandbox: flag,
  zoneSockets: z.string().min(1).optional(),
  releasePolicy: releaseRuleText.optional(),
  releaseMemory: size.optional(),
  hookBindAddress: bindAddress,
  hookSecrets: z.string().min(1).optional(),
} as const;
