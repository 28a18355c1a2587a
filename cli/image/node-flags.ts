/**
 * Flags of Node for the operator, which keep its memory small; docs/decisions.md has the measurements. The Containerfile
 * and the first line of `cli/fairlead.js` repeat them, because both are read before any program runs.
 */
export const nodeFlags = ["--max-semi-space-size=8", "--max-old-space-size=1024"] as const;
