import { groupKindOf } from "../../crds/object.ts";
import type { Synthesizer } from "../../synth/synthesizer.ts";
import type { OperatorConfig } from "../config.ts";
import type { Cluster, Publisher, Reconcile } from "../ports.ts";
import { version } from "../telemetry/version.ts";

/** The parts of a reconcile that get spans. */
export interface TracedParts {
  readonly cluster: Cluster;
  readonly publisher: Publisher | undefined;
  readonly synthesize: Synthesizer;
  /** Undefined without spans. */
  readonly traceReconcile?: (controller: string, reconcile: Reconcile) => Reconcile;
}

/**
 * Wraps the parts so that every reconcile is a span, which contains synthesis, requests and offers. Without `--tracing`
 * it returns them unchanged and loads nothing.
 *
 * @throws TracingError when the required package is not installed.
 */
export async function composeTracing(
  parts: TracedParts,
  { tracing: isOn }: Pick<OperatorConfig, "tracing">,
): Promise<TracedParts> {
  if (!isOn) return parts;
  const { loadTracing } = await import("../telemetry/tracing.ts");
  const { traceCluster, tracePublisher } = await import("../telemetry/traced-ports.ts");
  const tracing = await loadTracing(version);
  const { cluster, publisher, synthesize } = parts;
  return {
    cluster: traceCluster(cluster, tracing),
    publisher: publisher && tracePublisher(publisher, tracing),
    synthesize: (kind, resource, observed, context) =>
      tracing.syncSpan("synthesize", { "fairlead.controller": groupKindOf(kind.definition) }, () =>
        synthesize(kind, resource, observed, context),
      ),
    traceReconcile: (controller, reconcile) => tracing.reconcile(controller, reconcile),
  };
}
