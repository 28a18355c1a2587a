/** An exception, as strings. */
export interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Path of the invalid field, if a schema reported it. */
  readonly path?: string;
}

/** Objects as JSON, one text each, in the order of the constructs. */
export interface CollectedObjects {
  readonly state: "collected";
  readonly objects: readonly string[];
  /** Path of each object's construct. */
  readonly origins: readonly string[];
  /** Pairs of indexes: the first must wait for the second. */
  readonly edges: readonly (readonly [number, number])[];
}

export type Outcome =
  | { readonly state: "pending" }
  | { readonly state: "failed"; readonly doing: "run" | "inputs"; readonly error: DescribedError }
  | { readonly state: "limit"; readonly message: string }
  | { readonly state: "done"; readonly apps: readonly object[] }
  | CollectedObjects;

/** The first line contains the result; if objects were created, each following line is one of them. */
export function outcomeText(outcome: Outcome, log: string): string {
  if (outcome.state === "collected") {
    const { objects, origins, edges } = outcome;
    return [JSON.stringify({ state: "collected", origins, edges, log }), ...objects].join("\n");
  }
  if (outcome.state === "done") return JSON.stringify({ state: "pending", log });
  return JSON.stringify({ ...outcome, log });
}
