/** Whether tests repeat their steps a hundred times, as in `npm run test:long`; in `npm test` they repeat few. */
export const isLong = process.env["FAIRLEAD_LONG"] === "1";

/** Whether Pipelines are simulated for a hundred days, which takes hours: `npm run test:pipelines`. CI does not. */
export const takesHours = process.env["FAIRLEAD_HOURS"] === "1";
