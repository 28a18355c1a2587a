import { instantMs, type KindClock } from "../crds/kind-context.ts";
import type { CustomResource, LiveObject, ObjectKind } from "../crds/object.ts";
import type { Observed } from "../crds/observed.ts";
import type { ManifestSet } from "./manifest.ts";
import type { GivenContext } from "./record.ts";
import { isSameJson } from "./same-json.ts";
import { type SynthesizableKind, synthesize } from "./synthesize.ts";

/** {@link synthesize}, or an equivalent function. */
export type Synthesizer = (
  binding: SynthesizableKind,
  resource: CustomResource,
  observed: Observed,
  context?: GivenContext,
) => ManifestSet;

/** A synthesizer with a cache. */
export interface RememberingSynthesizer extends Synthesizer {
  /** Removes the result of a deleted resource. */
  forget(uid: string): void;
}

export interface CreateSynthesizerOptions {
  /**
   * Maximum number of cached results, one per resource (about 2 KB each); the least recently used one is removed first.
   * Default: 2000.
   */
  readonly capacity?: number;
}

/** One call of a chart to `observed`, and its result. */
interface Reading {
  readonly kind: ObjectKind;
  /** Undefined: the whole list was read. */
  readonly name: string | undefined;
  readonly answer: string;
}

/** One instant that a chart passed to its clock, and the result. */
interface Asked {
  readonly instant: Date;
  readonly answer: boolean;
}

/** Nothing in here references an object that the stores have replaced since. */
interface Memory {
  readonly binding: SynthesizableKind;
  readonly generation: number | undefined;
  /** As last compared: with one generation other fields may appear after the kind's definition has changed. */
  spec: unknown;
  readonly labels: Entries;
  readonly annotations: Entries;
  readonly readings: readonly Reading[];
  readonly asked: readonly Asked[];
  /** As last compared. Undefined: the kind has no context. */
  record: GivenContext["record"] | undefined;
  /** As last compared. */
  source: GivenContext["source"];
  readonly result: ManifestSet;
}

/**
 * A synthesizer with a cache: while a resource's spec, labels, annotations, record and source and the parts of
 * `observed` that its chart read stay the same, the identical {@link ManifestSet} is returned. It is also returned when
 * a chart ran again with an equal result. A result that depends on instants is valid until the earliest of them passes.
 */
export function createSynthesizer({
  capacity = 2_000,
}: CreateSynthesizerOptions = {}): RememberingSynthesizer {
  const memories = new Map<string, Memory>();
  const synthesizer: Synthesizer = (binding, resource, observed, context) => {
    const { uid } = resource.metadata;
    const memory = memories.get(uid);
    const isCurrent = memory !== undefined && isSame(memory, { binding, resource, observed, context });
    const next = isCurrent ? memory : remember(memory, { binding, resource, observed, context });
    // Removed and added again: a Map iterates in the order of insertion, so the first key is the oldest.
    memories.delete(uid);
    memories.set(uid, next);
    if (memories.size > capacity) memories.delete(memories.keys().next().value ?? uid);
    return next.result;
  };
  return Object.assign(synthesizer, { forget: (uid: string) => void memories.delete(uid) });
}

interface Question {
  readonly binding: SynthesizableKind;
  readonly resource: CustomResource;
  readonly observed: Observed;
  readonly context: GivenContext | undefined;
}

function remember(memory: Memory | undefined, { binding, resource, observed, context }: Question): Memory {
  const readings: Reading[] = [];
  const asked: Asked[] = [];
  const noted = context && { ...context, clock: recordAsked(context.clock, asked) };
  const fresh = synthesize(binding, resource, recordReadings(observed, readings), noted);
  const isUnchanged =
    // The digest does not include additions and needs.
    hasObjectsAlone(fresh) &&
    memory !== undefined &&
    hasObjectsAlone(memory.result) &&
    memory.result.digest === fresh.digest &&
    memory.result.set === fresh.set &&
    memory.generation === resource.metadata.generation;
  const { generation, labels, annotations } = resource.metadata;
  const { spec } = resource;
  const result = isUnchanged ? memory.result : fresh;
  const given = { record: context?.record, source: context?.source };
  return { binding, generation, spec, labels, annotations, readings, asked, ...given, result };
}

function hasObjectsAlone({ additions, needs }: ManifestSet): boolean {
  return additions.length + needs.size === 0;
}

function recordReadings(observed: Observed, readings: Reading[]): Observed {
  return {
    list(kind) {
      const found = observed.list(kind);
      readings.push({ kind, name: undefined, answer: versionsOf(found) });
      return found;
    },
    find(kind, name) {
      const found = observed.find(kind, name);
      readings.push({ kind, name, answer: versionsOf(found === undefined ? [] : [found]) });
      return found;
    },
  };
}

function recordAsked(clock: KindClock, asked: Asked[]): KindClock {
  return {
    reached(instant) {
      const answer = clock.reached(instant);
      asked.push({ instant: new Date(instantMs(instant)), answer });
      return answer;
    },
  };
}

function isSame(memory: Memory, { binding, resource, observed, context }: Question): boolean {
  const { metadata, spec } = resource;
  if (memory.generation !== metadata.generation || !isSameJson(memory.spec, spec)) return false;
  // The object that the store holds now, so that the cache keeps no other object in memory.
  memory.spec = spec;
  if (context !== undefined) {
    if (!isSameJson(memory.record, context.record)) return false;
    memory.record = context.record;
    if (!isSameJson(memory.source, context.source)) return false;
    memory.source = context.source;
  }
  return (
    memory.binding === binding &&
    areSameEntries(memory.labels, metadata.labels) &&
    areSameEntries(memory.annotations, metadata.annotations) &&
    memory.readings.every((reading) => isAnsweredAlike(reading, observed)) &&
    // Calls the clock again, so that the run waits for the same instants as the chart.
    memory.asked.every(({ instant, answer }) => context?.clock.reached(instant) === answer)
  );
}

function isAnsweredAlike({ kind, name, answer }: Reading, observed: Observed): boolean {
  if (name === undefined) return versionsOf(observed.list(kind)) === answer;
  const found = observed.find(kind, name);
  return versionsOf(found === undefined ? [] : [found]) === answer;
}

function versionsOf(objects: readonly LiveObject[]): string {
  return objects.map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`).join();
}

type Entries = Readonly<Record<string, string>> | undefined;

function areSameEntries(before: Entries, now: Entries): boolean {
  if (before === now) return true;
  const names = Object.keys(before ?? {});
  return (
    names.length === Object.keys(now ?? {}).length && names.every((name) => before?.[name] === now?.[name])
  );
}
