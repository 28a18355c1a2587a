/** How the memory of the operator's container is shared out, in bytes. */
export interface MemoryPlan {
  /** All processes that run or bundle programs. */
  readonly programs: number;
  /** Objects of all rendered sources together, estimated. */
  readonly rendered: number;
  /** Of these, the objects of one namespace, and so of one Release. */
  readonly renderedPerNamespace: number;
}

/** Memory that is planned with where the operator has no limit. */
const WITHOUT_LIMIT = 2 * 2 ** 30;

/**
 * Plans what Releases may take of a container's memory. Of the rest, the larger part is V8's heap, in which rendered objects are
 * as well (OPERATOR_HEAP_PERCENT of constructs/operator-pod.ts).
 *
 * @param limitBytes Undefined: no limit.
 */
export function planMemory(limitBytes: number = WITHOUT_LIMIT): MemoryPlan {
  const rendered = Math.floor(limitBytes * 0.1);
  return {
    programs: Math.floor(limitBytes * 0.35),
    rendered,
    renderedPerNamespace: Math.floor(rendered / 2),
  };
}
