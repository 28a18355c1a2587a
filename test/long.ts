/** Whether tests repeat their steps a hundred times, as in `npm run test:long`; in `npm test` they repeat few. */
export const isLong = process.env["FAIRLEAD_LONG"] === "1";
