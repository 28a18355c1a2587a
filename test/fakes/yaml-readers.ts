import { readWithLibrary } from "../../operator/render/library-yaml.ts";
import { readPlainYaml } from "../../operator/render/plain-yaml.ts";
import { NotPlainError } from "../../operator/render/yaml-cursor.ts";

/** What the reader makes of a text; "not plain" if it leaves it to the library. */
export function readPlain(text: string): unknown {
  try {
    const reading = readPlainYaml(text);
    let step = reading.next();
    while (!step.done) step = reading.next();
    return step.value;
  } catch (error) {
    if (error instanceof NotPlainError) return "not plain";
    throw error;
  }
}

/** What the library makes of a text, or its error. */
export function readSlowly(text: string): unknown {
  try {
    return readWithLibrary(text, 1);
  } catch (error) {
    return error;
  }
}
