import { type DestinationStream, pino } from "pino";
import type { Clock, Logger } from "../ports.ts";
import { redactFields, redactText } from "./redact.ts";
import { formatTextLine } from "./text-line.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LoggerOptions {
  readonly clock: Clock;
  readonly level?: LogLevel;
  /** Default: text on a terminal, JSON elsewhere. */
  readonly format?: "text" | "json" | undefined;
  /** Default: standard error. */
  readonly destination?: LogDestination;
}

export interface LogDestination {
  readonly isTTY?: boolean;
  write(line: string): unknown;
}

const severity: Readonly<Record<LogLevel, number>> = { debug: 20, info: 30, warn: 40, error: 50 };

/** A log of constant messages and fields, without secrets; `error` fields include their chain of causes. */
export function createLogger({
  clock,
  level = "info",
  format,
  destination = process.stderr,
}: LoggerOptions): Logger {
  const chosen = format ?? (destination.isTTY ? "text" : "json");
  const write = chosen === "text" ? textWriter(clock, destination) : jsonWriter(clock, level, destination);
  return loggerOver(write, severity[level], {});
}

type Write = (level: LogLevel, message: string, fields: Record<string, unknown>) => void;

function loggerOver(write: Write, lowest: number, bindings: object): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields: object | (() => object) = {}): void => {
      if (severity[level] < lowest) return;
      const made = typeof fields === "function" ? (fields as () => object)() : fields;
      write(level, redactText(message), redactFields({ ...bindings, ...made }));
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => loggerOver(write, lowest, { ...bindings, ...fields }),
  };
}

function textWriter(clock: Clock, destination: LogDestination): Write {
  return (level, message, fields) => {
    const time = clock.wallClock().toISOString();
    destination.write(formatTextLine({ time, level, message, fields }));
  };
}

function jsonWriter(clock: Clock, level: LogLevel, destination: LogDestination): Write {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "message",
      timestamp: () => `,"time":"${clock.wallClock().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination as DestinationStream,
  );
  return (at, message, fields) => logger[at](fields, message);
}
