import type { LiveObject } from "../../crds/object.ts";

/** A parser of JSON shares shorter texts by itself. */
const shortest = 11;
/** Longer texts, such as the content of a ConfigMap, are rarely equal. */
const longest = 128;
/** Texts that are kept for comparison; about 0.4 MiB. */
const most = 4_096;
/** Parts of an object that are nested more deeply stay as they are. */
const deepest = 16;

/**
 * Keeps equal texts of objects once. A parser of JSON creates a text for every value, but a thousand objects have mostly the
 * same ones: images, reasons, messages and times. They were a tenth of the heap of an operator with 1,000 Releases.
 */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  /** Replaces texts in spec and status of an object that was just read. Data of Secrets is never kept here. */
  shareIn(object: LiveObject): LiveObject {
    for (const part of [object["spec"], object["status"]]) {
      if (typeof part === "object" && part !== null) this.#shareFields(part, 1);
    }
    return object;
  }

  #shareFields(value: object, depth: number): void {
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(fields)) {
      const field = fields[name];
      if (typeof field === "string") {
        if (field.length < shortest || field.length > longest) continue;
        const text = this.#share(field);
        if (text !== undefined) fields[name] = text;
      } else if (typeof field === "object" && field !== null && depth < deepest) {
        this.#shareFields(field, depth + 1);
      }
    }
  }

  /** The text that is kept; undefined: this one is, from now on. */
  #share(text: string): string | undefined {
    const kept = this.#texts.get(text);
    if (kept !== undefined) return kept;
    if (this.#texts.size >= most) this.#texts.clear();
    this.#texts.set(text, text);
    return undefined;
  }
}
