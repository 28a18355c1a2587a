/** The part of `process` that reports signals. */
export interface SignalEmitter {
  on(signal: "SIGTERM" | "SIGINT", listener: (signal: string) => void): unknown;
  off(signal: "SIGTERM" | "SIGINT", listener: (signal: string) => void): unknown;
}

export interface SignalReactions {
  /** The first signal: shut down gracefully. */
  readonly stop: (signal: string) => void;
  /** The second signal: the user does not want to wait. */
  readonly exit: (code: 1) => void;
}

/** Listens to SIGTERM and SIGINT. The returned function stops this. */
export function listenForSignals(emitter: SignalEmitter, { stop, exit }: SignalReactions): () => void {
  let isStopping = false;
  const listener = (signal: string): void => {
    if (isStopping) {
      exit(1);
      return;
    }
    isStopping = true;
    stop(signal);
  };
  emitter.on("SIGTERM", listener);
  emitter.on("SIGINT", listener);
  return () => {
    emitter.off("SIGTERM", listener);
    emitter.off("SIGINT", listener);
  };
}
