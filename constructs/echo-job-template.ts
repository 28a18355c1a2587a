import { containerName } from "../crds/names.ts";
import type { LiveObject, ObjectMeta } from "../crds/object.ts";
import type { Labels } from "./child-labels.ts";

export interface EchoJobTemplateProps {
  /** Name of the custom resource, from which the container gets its name. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly message: string;
  readonly labels: Labels;
}

/** The fields of a Job's spec that the operator sets. */
export interface EchoJobSpec {
  readonly template: { readonly metadata: object; readonly spec: object };
}

const image = "busybox:1.33.1";

/** The spec of a Job that prints one message: the program and its argument, so that no shell interprets it. */
export function echoJobSpec({ name, namespace, message, labels }: EchoJobTemplateProps): EchoJobSpec {
  const container = {
    name: containerName(name),
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["echo", message],
  };
  return {
    template: {
      metadata: { ...echoTemplateMetadata(name), ...(namespace !== undefined && { namespace }), labels },
      spec: { restartPolicy: "Never", containers: [container] },
    },
  };
}

/** The original operator sets this field on templates; otherwise a Job that it created would have to be replaced. */
export function echoTemplateMetadata(name: string): { readonly generateName: string } {
  return { generateName: `${name}-` };
}

/** Fields that the operator sets in a Job's template, as in a live Job. */
interface LiveJobSpec {
  readonly template?: {
    readonly metadata?: Partial<ObjectMeta> & { readonly generateName?: string };
    readonly spec?: {
      readonly restartPolicy?: string;
      readonly containers?: readonly {
        readonly name: string;
        readonly image?: string;
        readonly imagePullPolicy?: string;
        readonly command?: readonly string[];
      }[];
    };
  };
}

/** Labels that the API server adds to a Job's template. */
const generatedLabel = /^(batch\.kubernetes\.io\/)?(controller-uid|job-name)$/;

/**
 * The template of an existing Job, if it prints exactly this message: a Job's template is immutable, and changed labels
 * or a changed image are not a reason to print the message again.
 */
export function keepEchoJobSpec(live: LiveObject | undefined, message: string): EchoJobSpec | undefined {
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return undefined;
  const { template } = (live["spec"] ?? {}) as LiveJobSpec;
  const [container, ...others] = template?.spec?.containers ?? [];
  if (container === undefined || others.length > 0) return undefined;
  const { name, image: found, imagePullPolicy, command = [] } = container;
  if (command.length !== 2 || command[0] !== "echo" || command[1] !== message) return undefined;
  const { generateName, namespace, labels = {} } = template?.metadata ?? {};
  const kept = Object.entries(labels).filter(([label]) => !generatedLabel.test(label));
  return {
    template: {
      metadata: { generateName, namespace, ...(kept.length > 0 && { labels: Object.fromEntries(kept) }) },
      spec: {
        restartPolicy: template?.spec?.restartPolicy,
        containers: [{ name, image: found, imagePullPolicy, command }],
      },
    },
  };
}
