import type { Cluster, ObjectRef, Publisher } from "../ports.ts";
import { nameAttributes, type Tracing } from "./tracing.ts";

/** Makes every request of a reconcile a span, also of one that impersonates a ServiceAccount. */
export function traceCluster(cluster: Cluster, tracing: Tracing): Cluster {
  const spanOn = <T>(name: string, ref: ObjectRef, action: () => Promise<T>): Promise<T> =>
    tracing.asyncSpan(name, nameAttributes({ ...ref, kind: ref.kind.kind }), action);
  return {
    until: (signal) => traceCluster(cluster.until(signal), tracing),
    as: (who) => traceCluster(cluster.as(who), tracing),
    // Plans run in the background, and belong to no reconcile.
    dryRun: () => cluster.dryRun(),
    apply: (kind, manifest, guard) => {
      const { name, namespace } = manifest.metadata;
      const attributes = nameAttributes({ kind: kind.kind, name, namespace });
      return tracing.asyncSpan("apply", { ...attributes, "fairlead.mode": guard.mode }, () =>
        cluster.apply(kind, manifest, guard),
      );
    },
    add: (addition, options) => {
      const { kind, metadata } = addition.manifest;
      const { name, namespace } = metadata;
      return tracing.asyncSpan("add", nameAttributes({ kind, name, namespace }), () =>
        cluster.add(addition, options),
      );
    },
    read: (ref) => spanOn("read", ref, () => cluster.read(ref)),
    delete: (ref, options) => spanOn("delete", ref, () => cluster.delete(ref, options)),
    patchStatus: (ref, uid, status, options) =>
      spanOn("status", ref, () => cluster.patchStatus(ref, uid, status, options)),
    patchMetadata: (ref, metadata) => spanOn("finalizers", ref, () => cluster.patchMetadata(ref, metadata)),
    takeOverFields: (kind, live) => {
      const { name, namespace } = live.metadata;
      return spanOn("take over", { kind, name, namespace }, () => cluster.takeOverFields(kind, live));
    },
  };
}

/** Adds a span for every offer to the repository, with its result. */
export function tracePublisher(publisher: Publisher, tracing: Tracing): Publisher {
  return {
    publish: (offer) =>
      tracing.syncSpan("publish", { "fairlead.folder": offer.folder }, (span) => {
        const state = publisher.publish(offer);
        span.setAttribute("fairlead.publish.state", state.state);
        return state;
      }),
    retire: (folder, options) => publisher.retire(folder, options),
  };
}
