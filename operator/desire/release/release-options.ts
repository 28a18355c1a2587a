import * as z from "zod";
import { bindAddress, duration, flag, releaseRuleText, size } from "../../config/option-values.ts";

/** The options that concern Releases, as `operatorOptions` of config.ts has them. */
export const releaseOptions = {
  releases: {
    flag: "releases",
    help: "Reconcile Releases: deploy what git repositories say",
    fallback: "false",
  },
  releaseCache: {
    flag: "release-cache",
    value: "DIR",
    help: "Where clones and renders of Releases are kept; default: beside the repository's clone",
  },
  releaseCacheSize: {
    flag: "release-cache-size",
    value: "SIZE",
    help: "Most that all clones of Releases may take on disk; a quarter of it is for one namespace",
    fallback: "2Gi",
  },
  releaseFileRemotes: {
    flag: "release-file-remotes",
    help: "Let Releases come from file:// repositories; default: outside a cluster",
  },
  releaseRequireServiceAccount: {
    flag: "release-require-service-account",
    help: "Refuse Releases that name no ServiceAccount to act as",
    fallback: "false",
  },
  releaseProgramTimeout: {
    flag: "release-program-timeout",
    value: "TIME",
    help: "Longest run of a program, whatever timeout its Release asks for",
    fallback: "5m",
  },
  releaseRequireSandbox: {
    flag: "release-require-sandbox",
    help: "Refuse to run programs, and to poll git repositories or publish, where the kernel does not keep their processes apart",
    fallback: "false",
  },
  zoneSockets: {
    flag: "zone-sockets",
    value: "DIR",
    help: "Folder of the sockets of zones that run elsewhere; default: the operator starts them",
  },
  releasePolicy: {
    flag: "release-policy",
    value: "JSON",
    help: "What Releases may use, as JSON: a rule of a ReleasePolicy",
  },
  releaseMemory: {
    flag: "release-memory",
    value: "SIZE",
    help: "Memory by which rendered objects are limited, and programs if the operator starts the zones; default: the container's limit, or 2Gi",
  },
  hookBindAddress: {
    flag: "hook-bind-address",
    value: "ADDRESS",
    help: "Address of /hooks, where git hosts report pushes; 0 turns it off",
    fallback: "0",
  },
  hookSecrets: {
    flag: "hook-secrets",
    value: "DIR",
    help: "Folder with one file per hook: the secret that its sender shares with us",
  },
} as const;

/** What each of them may be. */
export const releaseOptionShapes = {
  releases: flag,
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
