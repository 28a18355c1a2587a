import { groupOf } from "../../crds/object.ts";
import type { Manifest } from "../../synth/manifest.ts";
import { stageOf } from "../../synth/order.ts";

/**
 * The stage in which an object of a resource is applied. 0: namespaces and CRDs, which must be ready before the next stage;
 * 1: classes; 2: configuration and RBAC; 3: workloads; 4: other objects; 5: admission configuration, when all other objects
 * are applied.
 */
export type ApplyStage = 0 | 1 | 2 | 3 | 4 | 5;

/** The stage whose objects must be ready before the next stage, because other objects cannot be created without them. */
export const waitedStage = 0;

/** The stage that begins when all other objects are applied. */
export const lastStage = 5;

const admission: ReadonlySet<string> = new Set([
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
]);

const byStage: readonly ApplyStage[] = [0, 2, 3, 4];

/** The stage of an object by its kind: {@link stageOf}, with stages of their own for classes and admission configuration. Pure. */
export function applyStageOf(manifest: Pick<Manifest, "apiVersion" | "kind">): ApplyStage {
  const { apiVersion, kind } = manifest;
  if (groupOf(apiVersion) === "admissionregistration.k8s.io" && admission.has(kind)) return lastStage;
  // StorageClass, PriorityClass, GatewayClass, …: other objects refer to them by name.
  if (/.Class$/.test(kind)) return 1;
  return byStage[stageOf(manifest)] ?? 4;
}
