import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import type { LiveObject } from "../crds/object.ts";
import { hasChildLabels, type Labels } from "./child-labels.ts";

export interface AppDeploymentProps {
  readonly name: string;
  readonly replicas: number;
  /** Labels of the Deployment beside those of its chart. */
  readonly labels?: { [name: string]: string };
  /** Labels that select the pods of a new Deployment; an existing one keeps its selector. */
  readonly selector: Labels;
  /** Labels of the pods beside the selector's. */
  readonly podLabels: Labels;
  /** The one container, as the API has it. */
  readonly container: Readonly<Record<string, unknown>>;
  /** The Deployment that the cluster has, if any. */
  readonly live: LiveObject | undefined;
}

/** The fields of a live Deployment that decide about its successor. */
interface LiveSpec {
  readonly selector?: { readonly matchLabels?: Labels };
  readonly template?: { readonly metadata?: { readonly labels?: Labels } };
}

/**
 * A Deployment of one container, with no field that its maker did not ask for.
 *
 * One that exists is taken over without a restart: its selector stays, because it is immutable, and so do its
 * pods' labels if another operator made them, because a changed template replaces every pod.
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
  // A Deployment that is on its way out says nothing about the one that follows it.
  const isThere = live !== undefined && live.metadata.deletionTimestamp === undefined;
  const spec = isThere ? (live["spec"] as LiveSpec | undefined) : undefined;
  if (spec?.selector === undefined) return { selector: { matchLabels: selector }, podLabels: wanted };
  const found = spec.template?.metadata?.labels ?? {};
  return {
    selector: spec.selector,
    podLabels: hasChildLabels(found, wanted) ? { ...wanted, ...spec.selector.matchLabels } : found,
  };
}
