import type { Logger } from "../../operator/ports.ts";

export interface LogEntry {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: object;
}

/** Records log calls. */
export class RecordingLogger implements Logger {
  readonly entries: LogEntry[];
  readonly #fields: object;

  constructor(entries: LogEntry[] = [], fields: object = {}) {
    this.entries = entries;
    this.#fields = fields;
  }

  messages(level: LogEntry["level"]): readonly string[] {
    return this.entries.filter((entry) => entry.level === level).map(({ message }) => message);
  }

  debug(message: string, fields?: object | (() => object)): void {
    this.#add("debug", message, typeof fields === "function" ? (fields as () => object)() : fields);
  }

  info(message: string, fields?: object): void {
    this.#add("info", message, fields);
  }

  warn(message: string, fields?: object): void {
    this.#add("warn", message, fields);
  }

  error(message: string, fields?: object): void {
    this.#add("error", message, fields);
  }

  child(fields: object): Logger {
    return new RecordingLogger(this.entries, { ...this.#fields, ...fields });
  }

  #add(level: LogEntry["level"], message: string, fields: object = {}): void {
    this.entries.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
