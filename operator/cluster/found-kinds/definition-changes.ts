import type { LiveObject } from "../../../crds/object.ts";
import type { ObjectKindId } from "../../../synth/manifest.ts";
import type { Clock } from "../../ports.ts";
import { objectIn, textIn } from "../json-value.ts";

/**
 * The API server applies a changed definition some milliseconds after it accepted it, or a second later on a busy
 * machine.
 */
const unservedMs = 10_000;

interface SeenDefinition {
  readonly uid: string;
  readonly generation: number | undefined;
  readonly kind: ObjectKindId;
  readonly changedMs: number;
}

/**
 * Times at which CustomResourceDefinitions changed: for a short time, the API server still validates with the old
 * schema.
 */
export class DefinitionChanges {
  readonly #clock: Clock;
  readonly #seen = new Map<string, SeenDefinition>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Records the current state of a definition.
   *
   * @param options.initial It existed before this operator listed it, so the time of its change is unknown.
   * @returns The kind that it defines, if that has changed since the last time.
   */
  note(crd: LiveObject, { initial }: { readonly initial: boolean }): ObjectKindId | undefined {
    const { name, uid, generation } = crd.metadata;
    const before = this.#seen.get(name);
    if (before?.uid === uid && before.generation === generation) return undefined;
    const { group, names } = objectIn(crd["spec"]);
    const kind: ObjectKindId = `${textIn(group)}/${textIn(objectIn(names)["kind"])}`;
    const changedMs = initial ? Number.NEGATIVE_INFINITY : this.#clock.now();
    this.#seen.set(name, { uid, generation, kind, changedMs });
    return initial ? undefined : kind;
  }

  /** Whether the definition of a kind has changed so recently that the API server may not serve it yet. */
  areRecent(kind: ObjectKindId): boolean {
    const sinceMs = this.#clock.now() - unservedMs;
    return this.#seen.values().some((one) => one.kind === kind && one.changedMs >= sinceMs);
  }

  forget({ metadata }: LiveObject): void {
    this.#seen.delete(metadata.name);
  }
}
