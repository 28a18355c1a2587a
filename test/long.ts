/** Whether stories repeat what they do a hundred times, as `npm run test:long` has them. `npm test` repeats little. */
export const isLong = process.env["FAIRLEAD_LONG"] === "1";
