/**
 * Maximum interval between signals of one keypress: npm passes on the Ctrl-C that the terminal has sent to all
 * processes.
 */
const oneKeypressMs = 1_000;

/** Aborts after the first signal to stop. A second signal ends the process at once. */
export function stopOnSignals(): AbortSignal {
  const stopping = new AbortController();
  let firstMs: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      firstMs ??= performance.now();
      if (performance.now() - firstMs > oneKeypressMs) process.exit(1);
      stopping.abort(new Error(`Stopped by ${signal}`));
    });
  }
  // The reader of the output has ended, such as `head`.
  process.stdout.on("error", (error) => stopping.abort(error));
  return stopping.signal;
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
