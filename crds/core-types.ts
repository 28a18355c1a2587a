import * as z from "zod";

// Types of the core API that a kind embeds. They are loose: unknown fields are kept and copied to the child object, and
// the API server validates them.

/** A number or a string that Kubernetes parses as a quantity: `100m`, `128Mi`, `2`. */
export const Quantity = z.union([
  z.int(),
  z
    .string()
    .regex(
      /^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$/,
    ),
]);

const quantities = z.record(z.string(), Quantity);

/** `ResourceRequirements` of core/v1. */
export const ResourceRequirements = z.looseObject({
  limits: quantities.optional().describe("Limits of the container, by resource: cpu, memory, …"),
  requests: quantities.optional().describe("Requests of the container, by resource: cpu, memory, …"),
});

/** `EnvVar` of core/v1. */
export const EnvVar = z.looseObject({
  name: z.string().describe("Name of the environment variable."),
  value: z
    .string()
    .optional()
    .describe("Value; $(OTHER) is replaced by the value of a variable that is set before, $$ by one $."),
  valueFrom: z
    .looseObject({})
    .optional()
    .describe(
      "Where the value comes from instead: configMapKeyRef, secretKeyRef, fieldRef or resourceFieldRef.",
    ),
});

/** `ServicePort` of core/v1. */
export const ServicePort = z.looseObject({
  name: z.string().optional().describe("Name of the port; needed where there are several."),
  protocol: z.enum(["TCP", "UDP", "SCTP"]).default("TCP").describe("IP protocol of the port."),
  appProtocol: z.string().optional().describe("Application protocol of this port, such as http."),
  port: z.int32().min(1).max(65_535).describe("Port of the Service."),
  targetPort: z
    .union([z.int(), z.string()])
    .optional()
    .describe("Number or name of the container's port. Default: the same as port."),
  nodePort: z
    .int32()
    .min(0)
    .max(65_535)
    .optional()
    .describe("Port on every node. Default: a free one, chosen by the API server."),
});
