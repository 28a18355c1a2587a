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

/** The common kinds of applications; no Secrets, no RBAC kinds, no cluster-scoped kinds. */
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

/** Stricter than a ReleasePolicy, whose stored objects must stay valid, because values are stored and shown. */
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
  pipelines: z
    .boolean()
    .default(true)
    .describe(
      "Install and reconcile Pipelines. If false, the operator has no permission to create Jobs, with which Pipelines verify stages.",
    ),
  commonKinds: z
    .boolean()
    .default(true)
    .describe(
      "Let the operator list and watch the common kinds of applications: workloads, Jobs, Services, Ingresses, ConfigMaps, claims, ServiceAccounts, autoscalers, disruption budgets, network policies. Without `requireServiceAccount` it may deploy them too.",
    ),
  kinds: z
    .array(kind)
    .default([])
    .describe(
      "More kinds that the operator may list and watch, and without `requireServiceAccount` deploy: `{group, resource, namespaced, verbs}`, where `*` is any.",
    ),
  watchAll: z
    .boolean()
    .default(false)
    .describe(
      "Let the operator list and watch objects of every kind, for Releases whose ServiceAccounts have their own rights.",
    ),
  readSecrets: z
    .boolean()
    .default(false)
    .describe(
      "Let the operator read the Secrets that Releases, and sources of kinds, name. Not needed if the ServiceAccount that the Release or the Pipeline names may read them.",
    ),
  impersonate: z
    .boolean()
    .default(true)
    .describe("Let Releases act as a ServiceAccount of their namespace, with only its rights."),
  serviceAccounts: z
    .array(objectName)
    .default([])
    .describe("Names of the ServiceAccounts they may act as. Empty: any."),
  requireServiceAccount: z
    .boolean()
    .default(true)
    .describe(
      "Reject Releases without a ServiceAccount to act as, including their deletions; the operator has no permission to write their objects. If false: they are deployed with the operator's own rights.",
    ),
  programTimeout: duration
    .default("5m")
    .describe("Upper limit of the timeout that a Release sets for its program."),
  policy: policy.prefault({}).describe("Limits for Releases, as a rule of a ReleasePolicy."),
  requireSandbox: z
    .boolean()
    .default(false)
    .describe(
      "Refuse to run programs, poll git repositories or publish on nodes whose kernel does not isolate their processes.",
    ),
  cacheSize: quantity.default("2Gi").describe("Disk limit for clones of repositories."),
  sandboxResources: resources
    .default({ requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } })
    .describe("Requests and limits of the container that renders sources."),
  sourceResources: resources
    .default({ requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "768Mi" } })
    .describe("Requests and limits of the container that fetches repositories."),
  gitPorts: z
    .array(z.int().min(1).max(65_535))
    .default([443, 22])
    .describe("Ports of git hosts that the network policy opens for the pods."),
  hooks: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe("Serve /hooks, where git hosts report pushes, through a Service."),
      secret: objectName
        .optional()
        .describe(
          "Secret in the operator's namespace with one entry per hook: the key that its sender signs with.",
        ),
      fromNamespaces: z
        .array(namespaceName)
        .default([])
        .describe("Namespaces whose pods may reach it, such as that of the ingress controller. Empty: any."),
    })
    .prefault({})
    .describe("Webhooks by which git hosts report pushes."),
});

/** The permissions that follow from the values of Releases; undefined: Releases are disabled. */
export function releaseRightsOf(
  values: z.output<typeof releases>,
): (Omit<z.output<typeof releases>, "kinds"> & ReleaseRights) | undefined {
  if (!values.enabled) return undefined;
  return { ...values, kinds: [...(values.commonKinds ? commonKinds : []), ...values.kinds] };
}
