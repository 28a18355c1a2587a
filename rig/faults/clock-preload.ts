/**
 * Loaded before an operator of the fault suite: lets the process that started it move its wall clock, and ends it with that process.
 * Timers and `performance.now()` stay as they are, as on a machine whose time is set.
 */
const RealDate = Date;
let offsetMs = 0;

class MovedDate extends RealDate {
  constructor(...values: readonly unknown[]) {
    // The many signatures of Date have no one type.
    super(...((values.length === 0 ? [RealDate.now() + offsetMs] : values) as [number]));
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
}
globalThis.Date = MovedDate as DateConstructor;

process.on("message", (message: { readonly offsetMs: number }) => {
  offsetMs = message.offsetMs;
});
process.once("disconnect", () => process.exit(1));
process.channel?.unref();
