import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { LiveObject } from "../crds/object.ts";
import { hasChildLabels, type Labels } from "./child-labels.ts";

export interface AppDeploymentProps {
  readonly name: string;
  readonly replicas: number;
  /** Labels of the Deployment in addition to those of its chart. */
  readonly labels?: { [name: string]: string };
  /** Labels that select the pods of a new Deployment; an existing one keeps its selector. */
  readonly selector: Labels;
  /** Labels of the pods in addition to those of the selector. */
  readonly podLabels: Labels;
  /** The only container, in the form of the API. */
  readonly container: Readonly<Record<string, unknown>>;
  /** The existing Deployment, if any. */
  readonly live: LiveObject | undefined;
}

/** The fields of a live Deployment that the new manifest depends on. */
interface LiveSpec {
  readonly selector?: { readonly matchLabels?: Labels };
  readonly template?: { readonly metadata?: { readonly labels?: Labels } };
}

/**
 * A Deployment of one container, without any field that its kind does not specify.
 *
 * An existing one is taken over without a restart: its selector stays, because it is immutable, and its pods' labels
 * stay if another operator created them, because a changed template replaces every pod.
 */
export class AppDeployment extends ApiObject {
  constructor(scope: Construct, id: string, props: AppDeploymentProps) {
    const { name, replicas, labels = {}, container } = props;
    const { selector, podLabels } = inheritFromLive(props);
    super(scope, id, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, labels },
      spec: {
        replicas,
        selector,
        template: { metadata: { labels: podLabels }, spec: { containers: [container] } },
      },
    });
  }
}

function inheritFromLive({ selector, podLabels, live }: AppDeploymentProps): {
  readonly selector: object;
  readonly podLabels: Labels;
} {
  const wanted = { ...podLabels, ...selector };
  // A terminating Deployment has no effect on its successor.
  const isThere = live !== undefined && live.metadata.deletionTimestamp === undefined;
  const spec = isThere ? (live["spec"] as LiveSpec | undefined) : undefined;
  if (spec?.selector === undefined) return { selector: { matchLabels: selector }, podLabels: wanted };
  const found = spec.template?.metadata?.labels ?? {};
  return {
    selector: spec.selector,
    podLabels: hasChildLabels(found, wanted) ? { ...wanted, ...spec.selector.matchLabels } : found,
  };
}
