import { expect, onTestFinished } from "vitest";
import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "../../crds/core-kinds.ts";
import { apiVersionOf, type ObjectKind } from "../../crds/object.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import type { StageStatus } from "../../crds/pipeline-status.ts";
import { APPROVAL_POLICY } from "../../crds/stage-names.ts";
import { applyObjects, eventually, kubectl } from "./fixture.ts";
import { applyResource, seen } from "./harness.ts";
import { aReleaseHarness, type ReleaseHarness } from "./release-harness.ts";

/** A stage with the names of its Releases, and more fields. */
export type HarnessStage = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly releases: readonly string[];
};

/** An operator with Releases and Pipelines of one namespace. */
export interface PipelineHarness extends ReleaseHarness {
  /** Creates the Releases `PIPELINE-NAME` of the folders `PIPELINE/NAME`, and a Pipeline of the folder `PIPELINE`. */
  pipeline(name: string, stages: readonly HarnessStage[]): Promise<void>;
  /** Waits until the status of a stage has these fields, and returns it. */
  untilStage(pipeline: string, stage: string, wanted: object): Promise<StageStatus>;
}

export async function aPipelineHarness(): Promise<PipelineHarness> {
  const harness = await aReleaseHarness();
  const { namespace, source } = harness;
  const url = `file://${source.path}`;
  return {
    ...harness,
    pipeline: async (name, stages) => {
      for (const { name: stage, releases } of stages)
        for (const release of releases)
          await harness.release(`${name}-${release}`, {
            source: { url, path: `${name}/${release}`, ref: { pipeline: name, stage } },
          });
      await applyResource(Pipeline, namespace, {
        name,
        source: { url, path: name },
        interval: "1s",
        stages: stages.map(({ releases, ...stage }) => ({
          ...stage,
          releases: releases.map((release) => ({ name: `${name}-${release}` })),
        })),
      });
    },
    untilStage: (name, stage, wanted) =>
      eventually(
        async () => {
          const { status } = await seen(Pipeline, namespace, name);
          const stages = (status?.["stages"] ?? []) as readonly StageStatus[];
          const found = stages.find((one) => one.name === stage);
          expect(found).toMatchObject(wanted);
          return found;
        },
        { what: `stage ${stage} of ${name} is ${JSON.stringify(wanted)}` },
      ),
  };
}

/** Creates an admission policy, without which Approvals of a namespace do not count. It rejects nothing. */
export async function createApprovalPolicy(namespace: string): Promise<void> {
  const name = `${namespace}-approvals`;
  const metadata = { name, labels: { [APPROVAL_POLICY.key]: APPROVAL_POLICY.value } };
  const make = (kind: ObjectKind, spec: object) => ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata,
    spec,
  });
  onTestFinished(async () => {
    const kinds = `${ValidatingAdmissionPolicy.plural},${ValidatingAdmissionPolicyBinding.plural}`;
    await kubectl(["delete", kinds, name, "--ignore-not-found", "--wait=false"]);
  });
  const key = "kubernetes.io/metadata.name";
  const rule = { apiGroups: [Pipeline.group], apiVersions: ["*"], operations: ["CREATE"] };
  await applyObjects(
    make(ValidatingAdmissionPolicy, {
      failurePolicy: "Fail",
      matchConstraints: {
        namespaceSelector: { matchExpressions: [{ key, operator: "In", values: [namespace] }] },
        resourceRules: [{ ...rule, resources: ["approvals"] }],
      },
      validations: [{ expression: "true" }],
    }),
    make(ValidatingAdmissionPolicyBinding, { policyName: name, validationActions: ["Deny"] }),
  );
}
