/** Maximum depth of the recursive writer before it uses {@link writeDeep}: far below the limit of the stack. */
export const DEEP = 500;

export interface DeepJsonOptions {
  /** Writes a key, or a value that is neither list nor object. */
  readonly scalar: (value: unknown) => string;
  /** Between a key and its value. */
  readonly colon: string;
}

type Step = { readonly text: string } | { readonly value: unknown };

/**
 * Writes JSON as `toCanonicalJson` does, without recursion: the API server accepts objects of 10,000 levels, which
 * overflow the stack of a recursive writer. Slower than that one. Pure.
 */
export function writeDeep(value: unknown, { scalar, colon }: DeepJsonOptions): string {
  const pieces: string[] = [];
  const steps: Step[] = [{ value }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ("text" in step) pieces.push(step.text);
    else if (Array.isArray(step.value)) {
      const items = step.value.flatMap((item, index): Step[] => [
        ...(index > 0 ? [{ text: "," }] : []),
        { value: item ?? null },
      ]);
      push(steps, [{ text: "[" }, ...items, { text: "]" }]);
    } else if (typeof step.value === "object" && step.value !== null) {
      const fields = step.value as Readonly<Record<string, unknown>>;
      const keys = Object.keys(fields)
        .filter((key) => fields[key] !== undefined)
        .sort();
      const items = keys.flatMap((key, index): Step[] => [
        { text: `${index > 0 ? "," : ""}${scalar(key)}${colon}` },
        { value: fields[key] },
      ]);
      push(steps, [{ text: "{" }, ...items, { text: "}" }]);
    } else pieces.push(scalar(step.value));
  }
  return pieces.join("");
}

/** The first one is next. */
function push(steps: Step[], more: readonly Step[]): void {
  for (const step of more.toReversed()) steps.push(step);
}
