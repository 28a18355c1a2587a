/**
 * Flags of Node for the operator, which keep its memory small; docs/decisions.md has the measurements. The Containerfile
 * and the first line of `cli/fairlead.js` repeat them, because both are read before any program runs.
 */
export const nodeFlags = ["--max-semi-space-size=8", "--max-old-space-size=1024"] as const;

/**
 * Environment variables of the image that keep the operator's memory small: by default, glibc's malloc may have several
 * arenas for the threads of Node, and does not return all of their free memory. The Containerfile repeats them.
 */
export const nodeEnvironment = { MALLOC_ARENA_MAX: "1" } as const;
