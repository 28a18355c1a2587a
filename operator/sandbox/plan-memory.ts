/**
 * Shares of a container's memory. In a cluster the sandbox zone uses `programs` of its container, and the operator
 * `rendered` of its own.
 */
export interface MemoryPlan {
  readonly programs: {
    /** Memory of all processes that run or bundle programs. */
    readonly totalMiB: number;
    /** Maximum output of one program, in bytes of text. */
    readonly outputBytes: number;
  };
  /** Memory of the objects of rendered sources in the operator, estimated, in bytes. */
  readonly rendered: {
    readonly all: number;
    /** Memory of the objects of one namespace, and so of one resource. */
    readonly perNamespace: number;
  };
}

/** Memory that is assumed for a container without a limit, in bytes. */
const WITHOUT_LIMIT = 2 * 2 ** 30;
const LONGEST_OUTPUT = 16 * 2 ** 20;

/**
 * Plans the memory that resources may take. `rendered` is a part of the operator's heap (OPERATOR_HEAP_PERCENT of
 * constructs/operator-pod.ts); the heaps of the zone's processes (sandbox/worker-command.ts) are not part of `programs`.
 * Pure.
 *
 * @param limitBytes Memory limit of the container. Undefined: no limit.
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
