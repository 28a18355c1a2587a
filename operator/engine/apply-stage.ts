import { groupOf } from "../../crds/object.ts";
import type { Manifest } from "../../synth/manifest.ts";
import { stageOf } from "../../synth/order.ts";

/**
 * When an object of a resource is applied: 0 namespaces and definitions, which are waited for; 1 classes; 2 configuration
 * and RBAC; 3 workloads; 4 the rest; 5 what the API server asks about every other write, when all else is applied.
 */
export type ApplyStage = 0 | 1 | 2 | 3 | 4 | 5;

/** The stage whose objects are waited for, because nothing else can be made without them. */
export const waitedStage = 0;

/** The stage that begins when every other object is applied. */
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

/** The stage of an object by its kind: {@link stageOf}, with classes before and admission after all. Pure. */
export function applyStageOf(manifest: Pick<Manifest, "apiVersion" | "kind">): ApplyStage {
  const { apiVersion, kind } = manifest;
  if (groupOf(apiVersion) === "admissionregistration.k8s.io" && admission.has(kind)) return lastStage;
  // StorageClass, PriorityClass, GatewayClass, …: objects that others name and only their controller reads.
  if (/.Class$/.test(kind)) return 1;
  return byStage[stageOf(manifest)] ?? 4;
}
