/**
 * Loaded before an operator of the fault suite. The parent process can change the operator's wall clock, and the operator ends with
 * the parent. Timers and `performance.now()` are not affected, as on a machine whose time is set.
 */
const RealDate = Date;
let offsetMs = 0;

class MovedDate extends RealDate {
  constructor(...values: readonly unknown[]) {
    // The overloads of Date have no common type.
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
