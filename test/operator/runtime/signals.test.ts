import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { listenForSignals } from "../../../operator/runtime/signals.ts";

test.for(["SIGTERM", "SIGINT"] as const)(
  "the first %s stops, the second exits at once with 1 (case 33)",
  (signal) => {
    const emitter = new EventEmitter();
    const seen: (string | number)[] = [];
    const end = listenForSignals(emitter, {
      stop: (name) => seen.push(name),
      exit: (code) => seen.push(code),
    });
    emitter.emit(signal, signal);
    expect(seen).toEqual([signal]);
    emitter.emit("SIGTERM", "SIGTERM");
    expect(seen).toEqual([signal, 1]);
    end();
    expect(emitter.listenerCount("SIGTERM") + emitter.listenerCount("SIGINT")).toBe(0);
  },
);
