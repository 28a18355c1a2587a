import { keyOf, type LiveObject } from "../../crds/object.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import type { Synthesizer } from "../../synth/synthesizer.ts";
import {
  type ControllerInput,
  concerns,
  createController,
  type KindController,
} from "../compose/controllers.ts";
import type { TimeSource } from "../engine/run-clock.ts";
import { RunMemory } from "../engine/run-memory.ts";
import type { Clock, Cluster, EventRecorder, Publisher, Random } from "../ports.ts";
import { createReconcile } from "../reconcile.ts";
import type { ObjectCounts } from "../telemetry/object-metrics.ts";
import { kindSteps } from "./chart/kind-steps.ts";
import type { KindMemory } from "./chart/time-health.ts";
import type { FollowKind } from "./source/compose-kind-sources.ts";

export interface KindControllerInput extends ControllerInput {
  readonly kind: SynthesizableKind;
  readonly cluster: Cluster;
  readonly publisher: Publisher | undefined;
  /** Id of the location in git that it publishes to. */
  readonly place: string;
  readonly events: EventRecorder;
  readonly synthesize: Synthesizer;
  readonly onGone: (resource: LiveObject) => void;
  readonly random: Random;
  /** Decides whether an instant has passed. */
  readonly time: TimeSource;
  /** Follows the sources of its resources. Undefined: no sources. */
  readonly follow?: FollowKind | undefined;
}

/** Creates the controller of a kind whose objects a chart creates. */
export function createKindController(input: KindControllerInput): KindController {
  const { kind, clock, follow } = input;
  return createController(kind, input, ({ engine, queue, counts }) => {
    const sources = follow?.((keys) => {
      for (const key of keys) queue.add(key);
    });
    const { metrics, stores, isLeading, log } = input;
    const onStatus = metrics?.kinds.observe(kind, { stores, isLeading, log });
    const steps = kindSteps({ ...input, ...engine, sources, onStatus, synthesize: timed(input, counts) });
    const memory = kind.policy.timeout && new RunMemory<KindMemory>();
    return {
      onGone: (resource) => {
        sources?.forget(keyOf(resource));
        memory?.forget(keyOf(resource));
        input.onGone(resource);
      },
      ...(sources && {
        decidesBy: (watched) => concerns(watched, kind) || watched.kind === sources.decidedBy,
      }),
      reconcile: createReconcile(steps, { clock, ...(memory && { memory }) }),
    };
  });
}

/** Measures synthesis if metrics are enabled. */
function timed(
  { synthesize, clock }: { readonly synthesize: Synthesizer; readonly clock: Clock },
  counts: ObjectCounts | undefined,
): Synthesizer {
  if (counts === undefined) return synthesize;
  return (kind, resource, observed, context) => {
    const startMs = clock.now();
    const set = synthesize(kind, resource, observed, context);
    counts.synthesized(clock.now() - startMs);
    return set;
  };
}
