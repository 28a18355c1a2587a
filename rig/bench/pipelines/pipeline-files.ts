import { namespaceOf } from "../releases/set-files.ts";

/** The stages of each Pipeline, in order. Each has one Release. */
export const stageNames = ["dev", "staging", "prod"] as const;

export type StageName = (typeof stageNames)[number];

export const pipelineName = (index: number): string => `pipe-${String(index).padStart(4, "0")}`;

/** The name of a Release, and of the objects that it deploys. */
export const releaseName = (index: number, stage: StageName): string => `${pipelineName(index)}-${stage}`;

/** A Pipeline and its Releases are in one namespace. */
export const pipelineKey = (index: number): string => `${namespaceOf(index)}/${pipelineName(index)}`;

export const releaseKey = (index: number, stage: StageName): string =>
  `${namespaceOf(index)}/${releaseName(index, stage)}`;

export const imageOf = (version: string): string => `registry.example.dev/web:${version}`;

/** Files of all stages of a Pipeline. Each stage has a Deployment without pods and a ConfigMap. The version is in the image. Pure. */
export function filesOf(index: number, version: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    stageNames.flatMap((stage) => {
      const name = releaseName(index, stage);
      const folder = `pipelines/${pipelineName(index)}/${stage}`;
      return [
        [`${folder}/deployment.yaml`, deploymentText(name, version)],
        [`${folder}/settings.yaml`, settingsText(name, stage)],
      ];
    }),
  );
}

function deploymentText(name: string, version: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  replicas: 0
  selector:
    matchLabels:
      app: ${name}
  template:
    metadata:
      labels:
        app: ${name}
    spec:
      containers:
        - name: web
          image: ${imageOf(version)}
`;
}

function settingsText(name: string, stage: StageName): string {
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
data:
  stage: ${stage}
`;
}

const apiVersion = "fairlead.dev/v1alpha1";

/** A Release of a stage. The interval is long, so that polls do not change the measurement. Pure. */
export function aRelease(index: number, stage: StageName, url: string): object {
  const pipeline = pipelineName(index);
  return {
    apiVersion,
    kind: "Release",
    metadata: { name: releaseName(index, stage), namespace: namespaceOf(index) },
    spec: {
      source: { url, path: `pipelines/${pipeline}/${stage}`, ref: { pipeline, stage } },
      interval: "1h",
      render: { manifests: {} },
    },
  };
}

/** A Pipeline of three stages without soak. With `isApproved`, prod waits for an approval. Pure. */
export function aPipeline(index: number, url: string, { isApproved = false } = {}): object {
  const name = pipelineName(index);
  return {
    apiVersion,
    kind: "Pipeline",
    metadata: { name, namespace: namespaceOf(index) },
    spec: {
      source: { url, path: `pipelines/${name}` },
      interval: "1h",
      stages: stageNames.map((stage) => ({
        name: stage,
        releases: [{ name: releaseName(index, stage) }],
        ...(isApproved && stage === "prod" && { enter: { approvals: { count: 1 } } }),
      })),
    },
  };
}

/** An Approval of a stage's next target. Pure. */
export function anApproval(
  index: number,
  {
    name,
    target,
  }: { readonly name: string; readonly target: { readonly revision: string; readonly digest: string } },
): object {
  const metadata = { name, namespace: namespaceOf(index) };
  const spec = { pipeline: pipelineName(index), stage: "prod", ...target, decision: "Approve", by: "driver" };
  return { apiVersion, kind: "Approval", metadata, spec: { ...spec, groups: [] } };
}

/** An admission policy for Approvals, without which they do not count. This one rejects nothing. */
export const approvalPolicy: readonly object[] = [
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "bench-approvals", labels: { "fairlead.dev/policy": "approvals" } },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["fairlead.dev"],
            apiVersions: ["*"],
            operations: ["CREATE"],
            resources: ["approvals"],
          },
        ],
      },
      validations: [{ expression: "true" }],
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "bench-approvals", labels: { "fairlead.dev/policy": "approvals" } },
    spec: { policyName: "bench-approvals", validationActions: ["Deny"] },
  },
];
