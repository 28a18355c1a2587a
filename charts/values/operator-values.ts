import * as z from "zod";
import { toMilliseconds } from "../../crds/duration.ts";
import { releases } from "./release-values.ts";
import { leaderElection, monitoring, networkPolicy, policies, repository, samples } from "./value-groups.ts";
import {
  affinity,
  annotations,
  dnsLabel,
  labels,
  namespaceName,
  nodeSelector,
  objectName,
  resources,
  tolerations,
  topologySpreadConstraints,
} from "./value-shapes.ts";
import { OperatorValuesError } from "./values-error.ts";

const singleValues = z.strictObject({
  name: dnsLabel(40).default("fairlead").describe("Name of all installed objects and of the Lease."),
  namespace: namespaceName.default("fairlead-system").describe("Namespace of the operator."),
  createNamespace: z
    .boolean()
    .default(true)
    .describe("Create the namespace too; it enforces the Pod Security level `restricted`."),
  image: z
    .string()
    .regex(/^\S+$/, { error: "expected the name of an image" })
    .describe("Container image of the operator, with a tag or digest."),
  imagePullPolicy: z
    .enum(["IfNotPresent", "Always", "Never"])
    .default("IfNotPresent")
    .describe("When to pull the image."),
  imagePullSecrets: z.array(objectName).default([]).describe("Names of the Secrets for pulling the image."),
  ha: z
    .boolean()
    .default(true)
    .describe(
      "Run standbys and elect a leader. If false: one pod, no Lease, and the old pod ends before a new one starts.",
    ),
  replicas: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe("Number of pods. Default: 2 with `ha`, 1 without. Without `ha` at most 1."),
  leaderElection: leaderElection.prefault({}).describe("Durations of the leader election."),
  watchedNamespaces: z
    .array(namespaceName)
    .default([])
    .describe(
      "Namespaces to watch, which must exist; the operator has no rights in any other namespace. Empty: all namespaces.",
    ),
  workers: z
    .int()
    .min(1)
    .max(1_000)
    .default(16)
    .describe("Resources of one kind reconciled at the same time."),
  logLevel: z
    .enum(["debug", "info", "warn", "error"])
    .default("info")
    .describe("Lowest level that is logged."),
  repository: repository.optional().describe("Git repository for rendered manifests. Default: none."),
  releases: releases.prefault({}).describe("Releases, which deploy manifests from git repositories."),
  samples: samples.prefault({}).describe("The shipped kinds, as samples."),
  kinds: z
    .array(z.string().min(1))
    .default([])
    .describe("Shipped kinds to install, by name (`Echo`, or `echos.mmontes.io`)."),
  monitoring: monitoring.prefault({}).describe("Metrics, alerts and a dashboard."),
  policies: policies.prefault({}).describe("Admission policies in the API server."),
  networkPolicy: networkPolicy.prefault({}).describe("Network policy of the pods."),
  resources: resources
    .default({ requests: { cpu: "100m", memory: "192Mi" }, limits: { memory: "512Mi" } })
    .describe("Requests and limits of the container."),
  nodeSelector: nodeSelector.default({}).describe("Labels of the nodes to run on."),
  tolerations: tolerations.default([]).describe("Taints to tolerate, as in a pod."),
  affinity: affinity.optional().describe("As in a pod."),
  topologySpreadConstraints: topologySpreadConstraints
    .optional()
    .describe("As in a pod. Default with two or more pods: on different nodes, where possible."),
  priorityClassName: objectName.optional().describe("Priority class of the pods."),
  labels: labels.default({}).describe("Additional labels of all installed objects."),
  annotations: annotations.default({}).describe("Additional annotations of all installed objects."),
  podLabels: labels.default({}).describe("Additional labels of the pods."),
  podAnnotations: annotations.default({}).describe("Additional annotations of the pods."),
});

/** Values of an installation. Unknown names are rejected. */
export const operatorValues = singleValues.superRefine(
  ({ ha, replicas, leaderElection: times, releases: { hooks, ...rights } }, context) => {
    const missing = (path: readonly string[], message: string) =>
      context.addIssue({ code: "custom", path: ["releases", ...path], message });
    if (hooks.enabled && hooks.secret === undefined)
      missing(["hooks", "secret"], "expected the name of a Secret: unsigned hooks are refused");
    if (rights.requireServiceAccount && !rights.impersonate)
      missing(
        ["impersonate"],
        "expected true, or requireServiceAccount: false: Releases that must name a ServiceAccount need impersonation",
      );
    if (rights.policy.serviceAccountName !== undefined && !rights.impersonate)
      missing(["impersonate"], "expected true: policy.serviceAccountName needs the right to impersonate");
    if (!ha && (replicas ?? 1) > 1) {
      const message = "expected at most 1 if ha is false: two leaders would revert each other's changes";
      context.addIssue({ code: "custom", path: ["replicas"], message });
    }
    const [lease = 0, renew = 0, retry = 0] = [
      times.leaseDuration,
      times.renewDeadline,
      times.retryPeriod,
    ].map(toMilliseconds);
    const wrong = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: ["leaderElection", field], message });
    // The same checks as in operator/engine/election.ts.
    if (retry < 250) wrong("retryPeriod", "expected at least 250ms");
    if (renew < 2_000) wrong("renewDeadline", "expected at least 2s");
    if (lease < 3_000) wrong("leaseDuration", "expected at least 3s");
    if (lease <= renew) wrong("leaseDuration", `expected more than renewDeadline (${times.renewDeadline})`);
    // A candidate waits up to 1.2 retry periods.
    if (renew <= 1.2 * retry)
      wrong("renewDeadline", `expected more than 1.2 times retryPeriod (${times.retryPeriod})`);
  },
);

/** Values as users write them: everything but the image has a default. */
export type OperatorValues = z.input<typeof operatorValues>;

/** Values with all defaults. */
export type ChosenValues = Omit<z.output<typeof operatorValues>, "replicas"> & { readonly replicas: number };

/**
 * Validates values to which others may be added: the given values must be valid by themselves.
 *
 * @throws {OperatorValuesError} with every invalid value and the expected one.
 */
export function checkGivenValues(given: Readonly<Record<string, unknown>>): void {
  const values = { image: "any", ...given };
  const { error } = singleValues.safeParse(values);
  const isGiven = ({ path }: z.core.$ZodIssue): boolean => (valueAt(values, path) ?? undefined) !== undefined;
  const wrong = (error?.issues ?? []).filter(isGiven);
  if (wrong.length > 0) throw new OperatorValuesError(wrong, values, operatorValues);
}

function valueAt(values: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (value as Record<PropertyKey, unknown> | null)?.[part],
    values,
  );
}

/**
 * Checks values and fills in the defaults.
 *
 * @throws {OperatorValuesError} with every invalid value and the expected one.
 */
export function readOperatorValues(values: unknown): ChosenValues {
  const result = operatorValues.safeParse(values);
  if (!result.success) throw new OperatorValuesError(result.error.issues, values, operatorValues);
  const { replicas = result.data.ha ? 2 : 1, ...chosen } = result.data;
  return { ...chosen, replicas };
}
