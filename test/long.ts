/**
 * Whether tests repeat their steps as often as in `npm run test:long`, and those run that take long. In `npm test` they repeat few,
 * because it is to take six minutes. CI sets it.
 */
export const isLong = process.env["FAIRLEAD_LONG"] === "1";

/** Whether Pipelines are simulated for a hundred days, which takes hours: `npm run test:pipelines`. CI does not. */
export const takesHours = process.env["FAIRLEAD_HOURS"] === "1";

/** How many runs of a property to make: all in CI, and a fifth otherwise. */
export const limitRuns = (runs: number): number => (isLong ? runs : Math.ceil(runs / 5));
