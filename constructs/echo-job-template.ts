import { containerName } from "../crds/names.ts";
import type { LiveObject, ObjectMeta } from "../crds/object.ts";
import type { Labels } from "./child-labels.ts";

export interface EchoJobTemplateProps {
  /** Name of the custom resource, which gives the container its name. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly message: string;
  readonly labels: Labels;
}

/** A Job's spec, as far as we set it. */
export interface EchoJobSpec {
  readonly template: { readonly metadata: object; readonly spec: object };
}

const image = "busybox:1.33.1";

/** The spec of a Job that prints one message: the program and its argument, so that no shell looks at it. */
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

/** The original sets this on templates, and so do we: without it, a Job that it made would have to be replaced. */
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
 * The template of a Job that exists already, if it prints this very message: a Job's template is immutable, and
 * neither labels nor an image that we have changed since are a reason to print the message again.
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
