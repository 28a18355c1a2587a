/**
 * Longest wait of a unit test for another process, in milliseconds. Shorter than the limit of a test (`test/vitest.config.ts`), so
 * that the failure names the condition.
 */
export const patienceMs = 50_000;
