import * as z from "zod";
import type { ReleaseRights } from "../../constructs/release-rights.ts";
import { releaseRule } from "../../crds/release-policy.ts";
import { hasPassword } from "./repository-url.ts";
import { duration, namespaceName, objectName, quantity, resources } from "./value-shapes.ts";

const groupName = z
  .string()
  .regex(/^(\*|([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?)$/, {
    error: 'expected an API group such as apps, "" for the core group, or * for all',
  });
const resourceName = z.string().regex(/^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$/, {
  error: "expected the plural of a kind, such as deployments, or * for all",
});

const kind = z.strictObject({
  group: groupName.default(""),
  resource: resourceName,
  namespaced: z.boolean().default(true),
  verbs: z
    .array(z.enum(["get", "list", "watch", "create", "patch", "delete"]))
    .min(1)
    .optional(),
});

/** What applications are commonly made of; neither Secrets, nor rights, nor what has no namespace. */
export const commonKinds = [
  { group: "", resource: "configmaps" },
  { group: "", resource: "persistentvolumeclaims" },
  { group: "", resource: "serviceaccounts" },
  { group: "", resource: "services" },
  { group: "apps", resource: "daemonsets" },
  { group: "apps", resource: "deployments" },
  { group: "apps", resource: "statefulsets" },
  { group: "autoscaling", resource: "horizontalpodautoscalers" },
  { group: "batch", resource: "cronjobs" },
  { group: "batch", resource: "jobs" },
  { group: "networking.k8s.io", resource: "ingresses" },
  { group: "networking.k8s.io", resource: "networkpolicies" },
  { group: "policy", resource: "poddisruptionbudgets" },
] as const;

/** Stricter than a ReleasePolicy, whose stored objects must stay valid: values are stored and shown. */
const policy = releaseRule.superRefine(({ sources = [] }, context) => {
  for (const [index, source] of sources.entries()) {
    const message = "expected a URL without a password: values are stored and shown";
    if (hasPassword(source)) context.addIssue({ code: "custom", path: ["sources", index], message });
  }
});

export const releases = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe("Reconcile Releases, which deploy manifests from git repositories."),
  commonKinds: z
    .boolean()
    .default(true)
    .describe(
      "Let the operator list and watch what applications are commonly made of: workloads, Jobs, Services, Ingresses, ConfigMaps, claims, ServiceAccounts, autoscalers, disruption budgets, network policies. Without `requireServiceAccount` it may deploy them too.",
    ),
  kinds: z
    .array(kind)
    .default([])
    .describe(
      "More kinds that it may list and watch, or without `requireServiceAccount` deploy: `{group, resource, namespaced, verbs}`, where `*` is any.",
    ),
  watchAll: z
    .boolean()
    .default(false)
    .describe(
      "Let the operator list and watch objects of every kind, for Releases that bring rights of their own.",
    ),
  readSecrets: z
    .boolean()
    .default(false)
    .describe(
      "Let the operator read Secrets that Releases name; with rights of its own, a Release needs no such.",
    ),
  impersonate: z
    .boolean()
    .default(true)
    .describe("Let Releases act as a ServiceAccount of their namespace, with its rights alone."),
  serviceAccounts: z.array(objectName).default([]).describe("Names of those they may act as. None: any."),
  requireServiceAccount: z
    .boolean()
    .default(true)
    .describe(
      "Refuse Releases that name no ServiceAccount to act as, also their deletions; the operator has no rights to write what they deploy. Off: they are deployed with the operator's own rights.",
    ),
  programTimeout: duration
    .default("5m")
    .describe("Upper limit of the timeout that a Release sets for its program."),
  policy: policy.prefault({}).describe("What Releases may use, as a rule of a ReleasePolicy."),
  requireSandbox: z
    .boolean()
    .default(false)
    .describe(
      "Refuse to run programs, and to poll git repositories or publish, on nodes whose kernel does not keep their processes apart.",
    ),
  cacheSize: quantity
    .default("2Gi")
    .describe("Most that clones of repositories may take on the node's disk."),
  sandboxResources: resources
    .default({ requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } })
    .describe("Requests and limits of the container that renders sources."),
  sourceResources: resources
    .default({ requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "768Mi" } })
    .describe("Requests and limits of the container that fetches repositories."),
  gitPorts: z
    .array(z.int().min(1).max(65_535))
    .default([443, 22])
    .describe("Ports of git hosts that the network policy lets the pods reach."),
  hooks: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe("Serve /hooks, where git hosts tell of pushes, with a Service in front."),
      secret: objectName
        .optional()
        .describe("Secret in the operator's namespace with one entry per hook: what its sender signs with."),
      fromNamespaces: z
        .array(namespaceName)
        .default([])
        .describe("Namespaces whose pods may reach it, such as that of the ingress controller. None: any."),
    })
    .prefault({})
    .describe("Where git hosts tell of pushes."),
});

/** Values of Releases as the rights that follow from them; undefined: there are none. */
export function releaseRightsOf(
  values: z.output<typeof releases>,
): (Omit<z.output<typeof releases>, "kinds"> & ReleaseRights) | undefined {
  if (!values.enabled) return undefined;
  return { ...values, kinds: [...(values.commonKinds ? commonKinds : []), ...values.kinds] };
}
