import { podSelectorOf } from "./installation.ts";
import type { ChosenValues } from "./values/operator-values.ts";

/** Fields of the pod's spec for scheduling and image pulls; only those with a value. */
export function placementOf(values: ChosenValues): Readonly<Record<string, unknown>> {
  const { imagePullSecrets, nodeSelector, tolerations, affinity, priorityClassName } = values;
  const spread = values.topologySpreadConstraints ?? (values.replicas > 1 ? [onePodANode] : []);
  const labelSelector = { matchLabels: podSelectorOf(values) };
  return {
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(affinity !== undefined && { affinity }),
    ...(spread.length > 0 && {
      topologySpreadConstraints: spread.map((constraint) => ({ labelSelector, ...constraint })),
    }),
    ...(priorityClassName !== undefined && { priorityClassName }),
  };
}

/** The failure of one node should not end leader and standby at once. */
const onePodANode = {
  maxSkew: 1,
  topologyKey: "kubernetes.io/hostname",
  whenUnsatisfiable: "ScheduleAnyway",
};
