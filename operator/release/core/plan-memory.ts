/** How the memory of the operator's container is shared out. */
export interface MemoryPlan {
  readonly programs: {
    /** All processes that run or bundle programs. */
    readonly totalMiB: number;
    /** Most output of one program, in bytes of text. */
    readonly outputBytes: number;
  };
  /** Objects of rendered sources in the operator, estimated, in bytes. */
  readonly rendered: {
    readonly all: number;
    /** The objects of one namespace, and so of one Release. */
    readonly perNamespace: number;
  };
}

/** Memory that is planned with where the operator has no limit. */
const WITHOUT_LIMIT = 2 * 2 ** 30;
const LONGEST_OUTPUT = 16 * 2 ** 20;

/**
 * Plans what Releases may take of a container's memory. Of the rest, the larger part is V8's heap, in which rendered objects are
 * as well (OPERATOR_HEAP_PERCENT of constructs/operator-pod.ts).
 *
 * @param limitBytes Undefined: no limit.
 */
export function planMemory(limitBytes: number = WITHOUT_LIMIT): MemoryPlan {
  const all = Math.floor(limitBytes * 0.1);
  const perNamespace = Math.floor(all / 2);
  return {
    programs: {
      totalMiB: Math.floor((limitBytes * 0.35) / 2 ** 20),
      outputBytes: Math.min(LONGEST_OUTPUT, Math.floor(limitBytes / 64)),
    },
    rendered: { all, perNamespace },
  };
}
