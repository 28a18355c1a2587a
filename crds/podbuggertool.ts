import * as z from "zod";
import { defineKind, type ResourceOf } from "./kind.ts";

const word = "[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?";
const label = new RegExp(`^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?${word}=(${word})?$`);
const mustBe = "must be key=value, such as app=payment";

/** A label and its value, as a pod may have it. */
const Label = z
  .string()
  .max(381)
  .refine((text) => label.test(text), mustBe)
  // In a rule and not a `pattern`, whose message would be the pattern itself.
  .meta({ "x-kubernetes-validations": [{ rule: `self.matches(r'${label.source}')`, message: mustBe }] });

/** A shell in pods of other owners: an ephemeral container in each pod with a label. */
export const Podbuggertool = defineKind({
  group: "ualter.com",
  kind: "Podbuggertool",
  plural: "podbuggertools",
  shortNames: ["pbt"],
  description: "Podbuggertool adds an ephemeral container with a shell to the pods that have a label.",
  versions: [
    {
      name: "v1beta1",
      spec: z
        .object({
          label: Label.describe(
            "Label of the pods, as key=value. Only ready pods of the same namespace get the container.",
          ),
          image: z.string().min(1).describe("Container image; it must have the program sh."),
        })
        .describe("Pods that get the container, and its image."),
      status: z.object({
        installed: z.int32().min(0).describe("Number of pods that have the container."),
      }),
    },
  ],
  columns: [
    { name: "Label", type: "string", jsonPath: ".spec.label", description: "Label of the pods." },
    { name: "Image", type: "string", jsonPath: ".spec.image", description: "Container image." },
    {
      name: "Installed",
      type: "integer",
      jsonPath: ".status.installed",
      description: "Pods that have the container.",
    },
  ],
});

export type PodbuggertoolResource = ResourceOf<typeof Podbuggertool>;
