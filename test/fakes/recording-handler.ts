import { keyOf, type LiveObject } from "../../crds/object.ts";
import type { StoreHandler } from "../../operator/runtime/store-handlers.ts";

/** Records the notifications of a store, as short lines: `added shop/web@5 (initial)`. */
export class RecordingHandler implements StoreHandler {
  readonly lines: string[] = [];
  /** The objects of the last call. */
  last: { readonly old: LiveObject | undefined; readonly object: LiveObject } | undefined;

  added(object: LiveObject, { initial }: { initial: boolean }): void {
    this.#add(undefined, object, `added ${nameOf(object)}${initial ? " (initial)" : ""}`);
  }

  updated(old: LiveObject, object: LiveObject): void {
    const other =
      old.metadata.uid === object.metadata.uid ? "" : ` (${old.metadata.uid} → ${object.metadata.uid})`;
    this.#add(old, object, `updated ${nameOf(object)}${other}`);
  }

  deleted(object: LiveObject, { finalStateUnknown }: { finalStateUnknown: boolean }): void {
    this.#add(undefined, object, `deleted ${nameOf(object)}${finalStateUnknown ? " (unseen)" : ""}`);
  }

  /** The notifications since the last call. */
  take(): readonly string[] {
    return this.lines.splice(0);
  }

  #add(old: LiveObject | undefined, object: LiveObject, line: string): void {
    this.last = { old, object };
    this.lines.push(line);
  }
}

function nameOf(object: LiveObject): string {
  return `${keyOf(object)}@${object.metadata.resourceVersion}`;
}
