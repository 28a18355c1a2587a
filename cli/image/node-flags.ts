/**
 * Flags of Node for the operator, which keep its memory small; docs/decisions.md has the measurements. The Containerfile
 * and the first line of `cli/fairlead.js` repeat them, because both are read before any program runs.
 */
export const nodeFlags = ["--max-semi-space-size=8", "--max-old-space-size=1024"] as const;

/**
 * Environment variables of the image that keep the memory of its processes small: by default, glibc's malloc has an arena
 * per thread, and Node has ten threads of which nearly all allocations are the main one's. The Containerfile repeats them.
 */
export const nodeEnvironment = { MALLOC_ARENA_MAX: "1" } as const;
