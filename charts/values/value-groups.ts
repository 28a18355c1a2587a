import * as z from "zod";
import { hasQuery, isRepositoryUrl, repositoryUrlForms } from "./repository-url.ts";
import { duration, labels, namespaceName, objectName, resources } from "./value-shapes.ts";

// Groups of related values.

export const samples = z.strictObject({
  enabled: z.boolean().default(false).describe("Install all shipped kinds: Echo, Memcached and the others."),
});

export const leaderElection = z.strictObject({
  leaseDuration: duration.default("15s").describe("How long a Lease is valid without renewal."),
  renewDeadline: duration
    .default("10s")
    .describe("Time after which a leader that cannot renew the Lease steps down."),
  retryPeriod: duration.default("2s").describe("Time between two attempts to acquire or renew the Lease."),
});

export const repository = z.strictObject({
  url: z
    .string()
    .refine(isRepositoryUrl, { error: `expected ${repositoryUrlForms}` })
    .refine((url) => !hasQuery(url), {
      error: "expected a URL without a query: values are stored and shown, and a token would be in them",
    })
    .describe("URL of the git repository for rendered manifests: https, ssh or file."),
  branch: z
    .string()
    .regex(/^(?!-)[\w./-]+$/, { error: "expected the name of a branch" })
    .default("main")
    .describe("Branch of the repository."),
  path: z
    .string()
    .regex(/^(?!\/)(?!.*(^|\/)(\.{1,2}|\.git)(\/|$)).*$/is, {
      error: "expected a relative folder without ., .. or .git",
    })
    .default("")
    .describe("Folder in the repository. Empty: its root."),
  credentialsSecret: objectName
    .optional()
    .describe(
      "Secret in the operator's namespace with username and password, bearerToken, or identity and known_hosts; ca.crt for https.",
    ),
  resources: resources
    .default({ requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "512Mi" } })
    .describe("Requests and limits of the container that commits and pushes."),
});

const off = z.boolean().default(false);
export const monitoring = z.strictObject({
  enabled: z.boolean().default(true).describe("Serve /metrics through a Service."),
  fromNamespaces: z
    .array(namespaceName)
    .default([])
    .describe("Namespaces whose pods may read metrics. Empty: those with the label `metrics: enabled`."),
  serviceMonitor: z
    .strictObject({
      enabled: off.describe("Create a ServiceMonitor; the cluster must have this kind."),
      interval: duration.default("30s").describe("Time between two scrapes."),
      labels: labels.default({}).describe("Labels by which Prometheus selects it."),
    })
    .prefault({})
    .describe("For the Prometheus operator."),
  prometheusRule: z
    .strictObject({
      enabled: off.describe("Create a PrometheusRule with alerts; the cluster must have this kind."),
      labels: labels.default({}).describe("Labels by which Prometheus selects it."),
    })
    .prefault({})
    .describe("Alerts for Prometheus."),
  dashboard: z
    .strictObject({
      enabled: off.describe("Create a ConfigMap with a dashboard."),
      labels: labels
        .default({ grafana_dashboard: "1" })
        .describe("Labels by which Grafana's sidecar finds it."),
    })
    .prefault({})
    .describe("For Grafana."),
});

export const policies = z.strictObject({
  ownership: z
    .boolean()
    .default(true)
    .describe("Admission policy: the operator changes and deletes only objects that it created."),
  leadership: z
    .boolean()
    .default(true)
    .describe("Admission policy: only the holder of the Lease writes. Not installed without `ha`."),
  releaseStatus: z
    .boolean()
    .default(true)
    .describe(
      "Admission policy: only the operator writes the status of Releases in the namespaces it watches.",
    ),
  stages: z
    .boolean()
    .default(true)
    .describe(
      "Admission policies: Approvals, Promotions, pins and weaker rules need rights on stages of Pipelines. Without them no Approval counts.",
    ),
  userDefaults: z
    .boolean()
    .optional()
    .describe(
      "Admission policy: the API server fills in who creates an Approval, a Promotion or a Freeze. It needs MutatingAdmissionPolicy v1. Default: `fairlead install` installs it where the API server has this kind.",
    ),
});

export const networkPolicy = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "Let the pods connect only to DNS, the API server and git, and accept connections only for metrics and hooks.",
    ),
  apiServerPorts: z
    .array(z.int().min(1).max(65_535))
    .min(1)
    .default([443, 6443])
    .describe("Ports of the API server: of its Service and of its endpoints."),
});
