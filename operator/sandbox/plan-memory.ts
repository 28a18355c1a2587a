/** Shares of a container's memory. In a cluster the sandbox zone uses `programs` and the operator `rendered`, each of its own. */
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
    /** The objects of one namespace, and so of one resource. */
    readonly perNamespace: number;
  };
}

/** Memory that is assumed where a container has no limit, in bytes. */
const WITHOUT_LIMIT = 2 * 2 ** 30;
const LONGEST_OUTPUT = 16 * 2 ** 20;

/**
 * Plans the memory that resources may take. `rendered` is a part of the operator's heap (OPERATOR_HEAP_PERCENT of
 * constructs/operator-pod.ts); beside `programs` are the heaps of the zone's processes (sandbox/worker-command.ts). Pure.
 *
 * @param limitBytes Of the container. Undefined: no limit.
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
