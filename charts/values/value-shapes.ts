import * as z from "zod";
import { toMilliseconds } from "../../crds/duration.ts";

// Parts of values in the form of a pod's spec, and texts with a specific form.

export const duration = z
  .string()
  .refine((text) => toMilliseconds(text) > 0, { error: "expected a duration such as 15s or 1m30s" });

export const dnsLabel = (maxLength = 63) =>
  z.string().regex(new RegExp(`^[a-z]([-a-z0-9]{0,${maxLength - 2}}[a-z0-9])?$`), {
    error: `expected at most ${maxLength} of a-z, 0-9 and -, beginning with a letter`,
  });

export const namespaceName = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, {
  error: "expected the name of a namespace",
});

export const objectName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, { error: "expected the name of an object" });

const qualifiedName = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;
const labelText = z.string().regex(/^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/, {
  error: "expected the value of a label: at most 63 of A-Z, a-z, 0-9, -, _ and .",
});
/** Labels and annotations that the installation sets itself, or that record ownership. */
const reserved = /^app\.kubernetes\.io\/(name|instance)$|^fairlead\.dev\//;
const keyOf = (what: string) =>
  z
    .string()
    .regex(qualifiedName, { error: `expected the name of a ${what}, such as example.dev/team` })
    .refine((key) => !reserved.test(key), { error: `expected no ${what} that the installation sets itself` });

export const labels = z.record(keyOf("label"), labelText);
export const annotations = z.record(keyOf("annotation"), z.string());
export const nodeSelector = z.record(z.string(), labelText);

export const quantity = z.union([z.string(), z.number()], {
  error: "expected a quantity such as 100m or 256Mi",
});
const quantities = z.record(z.string(), quantity);
export const resources = z.strictObject({
  requests: quantities.optional(),
  limits: quantities.optional(),
});

export const tolerations = z.array(
  z.strictObject({
    key: z.string().optional(),
    operator: z.enum(["Exists", "Equal", "Lt", "Gt"]).optional(),
    value: z.string().optional(),
    effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]).optional(),
    tolerationSeconds: z.int().optional(),
  }),
);

const anything = z.looseObject({});
export const affinity = z.strictObject({
  nodeAffinity: anything.optional(),
  podAffinity: anything.optional(),
  podAntiAffinity: anything.optional(),
});

export const topologySpreadConstraints = z.array(
  z.strictObject({
    maxSkew: z.int().min(1),
    topologyKey: z.string().min(1),
    whenUnsatisfiable: z.enum(["DoNotSchedule", "ScheduleAnyway"]),
    minDomains: z.int().min(1).optional(),
    labelSelector: anything.optional(),
    matchLabelKeys: z.array(z.string()).optional(),
    nodeAffinityPolicy: z.enum(["Honor", "Ignore"]).optional(),
    nodeTaintsPolicy: z.enum(["Honor", "Ignore"]).optional(),
  }),
);
