import type { KindClock } from "../../../crds/kind-context.ts";
import { keyOf } from "../../../crds/object.ts";
import type { EngineStatus } from "../../../crds/status.ts";
import { idOf } from "../../../synth/manifest.ts";
import { type FoldedRecord, foldRecord, recordIn } from "../../../synth/record.ts";
import { isSameJson } from "../../../synth/same-json.ts";
import { SynthesisError } from "../../../synth/synthesis-error.ts";
import type { SynthesizableKind } from "../../../synth/synthesize.ts";
import type { OnStatus } from "../../engine/report.ts";
import type { ResourceStatus } from "../../engine/status.ts";
import { statusPatch } from "../../engine/status-patch.ts";
import { writeStatus } from "../../engine/write-status.ts";
import { ReplacedError, SpecInvalidError } from "../../errors.ts";
import type { Cluster, Logger, Stores } from "../../ports.ts";
import { withoutAppliedGeneration } from "./applied-generation.ts";
import { callFunction } from "./call-function.ts";
import { type Loaded, load } from "./load.ts";

export interface WriteRecordOptions {
  readonly kind: SynthesizableKind;
  readonly cluster: Pick<Cluster, "patchStatus">;
  readonly stores: Stores;
  readonly clock: KindClock;
  readonly log: Pick<Logger, "warn">;
  readonly onStatus?: OnStatus | undefined;
  readonly expected?: ExpectedStatus;
}

/** Predicts the whole status for a record before any object is applied. */
export interface ExpectedStatus {
  /** Undefined: it is not known in advance. */
  of(loaded: Loaded, record: FoldedRecord["record"]): ResourceStatus | undefined;
  /** Called after the status was written. */
  onWritten(status: ResourceStatus, before: Loaded): void;
}

/**
 * Updates the record of a resource, and writes it if it has changed. This happens before the chart runs, so that a fact is
 * stored before the object that proves it may be deleted.
 *
 * @returns The resource with that record. Undefined: it was deleted.
 * @throws ReplacedError if the resource has changed in the meantime. The next run folds the newer resource.
 */
export async function writeRecord(loaded: Loaded, options: WriteRecordOptions): Promise<Loaded | undefined> {
  const { kind, cluster, stores, log } = options;
  const { resource, sourced } = loaded;
  const folded = foldOrRefuse(loaded, options);
  if (folded instanceof SpecInvalidError) return { ...loaded, refusal: folded };
  const { record, isStable } = folded;
  if (!isStable) {
    const why = "its fold returns another record each time, so the reconcile is not repeated for it";
    log.warn("Record is not stable", { kind: kind.definition.kind, why });
  }
  if (isSameJson(recordIn(kind, resource), record)) return { ...loaded, folded };
  const { resourceVersion } = resource.metadata;
  const expected = options.expected?.of(loaded, record);
  const patch = statusPatch(resource.status, expected ?? withRecord(loaded, record, options));
  const resources = stores.resources(kind.definition);
  const at = { resourceVersion };
  const live = await writeStatus(resource, patch ?? {}, { kind: kind.definition, cluster, resources, at });
  if (live === undefined) return undefined;
  if (expected !== undefined) options.expected?.onWritten(expected, loaded);
  options.onStatus?.(resource, live);
  const now = load(keyOf(resource), kind, stores);
  // Another manager has changed the resource right after our write. The change may affect the record.
  if (now !== undefined && now.resource.metadata.resourceVersion !== live.metadata.resourceVersion)
    throw new ReplacedError(idOf(resource));
  return now && { ...now, ...(sourced && { sourced }), folded };
}

/** Whether the record of the currently observed objects differs from the one that this run has written or found. Pure. */
export function isRecordBehind(
  { resource, observed, sourced, folded }: Loaded,
  { kind, clock }: Pick<WriteRecordOptions, "kind" | "clock">,
): boolean {
  if (folded === undefined) return false;
  const next = foldRecord(kind, { resource, observed, clock, source: sourced?.state });
  // Compare with both, so that fields of a record that the API server drops are not sent again in every run.
  const isKnown = [recordIn(kind, resource), folded.record].some((known) => isSameJson(known, next.record));
  return next.isStable && !isKnown;
}

function foldOrRefuse(
  { resource, observed, sourced }: Loaded,
  { kind, clock }: Pick<WriteRecordOptions, "kind" | "clock">,
): FoldedRecord | SpecInvalidError {
  try {
    return foldRecord(kind, { resource, observed, clock, source: sourced?.state });
  } catch (error) {
    if (error instanceof SynthesisError) return new SpecInvalidError(error.message, { cause: error });
    throw error;
  }
}

/** Composes the status with another record, and with all fields that the kind's schema may require. */
function withRecord(
  { resource, observed, sourced }: Loaded,
  record: FoldedRecord["record"],
  { kind, clock }: Pick<WriteRecordOptions, "kind" | "clock">,
): Readonly<Record<string, unknown>> {
  const context = { clock, record, ...(kind.source && { source: sourced?.state }) };
  const described = callFunction("status", kind, () => kind.status(resource, observed, context));
  // The status at the end of the run reports the error; until then the fields stay.
  const { conditions: _own, ...fields }: Readonly<Record<string, unknown>> =
    described instanceof SpecInvalidError ? {} : described;
  const previous = withoutAppliedGeneration(
    (resource.status ?? {}) as EngineStatus & Readonly<Record<string, unknown>>,
  );
  const written = Object.fromEntries((kind.record?.fields ?? []).map((field) => [field, record[field]]));
  return { ...previous, ...fields, ...written };
}
