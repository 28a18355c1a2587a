/** One log record as text. */
export interface LogRecord {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** `12:03:07.120 WARN  Cannot renew the lease  holder=web-1`, then the chain of an error, a line per cause. */
export function formatTextLine({ time, level, message, fields }: LogRecord): string {
  const { error, ...rest } = fields;
  const pairs = Object.entries(rest).map(([name, value]) => `${name}=${formatValue(value)}`);
  const clockTime = time.slice(time.indexOf("T") + 1).replace("Z", "");
  const head = [clockTime, level.toUpperCase().padEnd(5), [message, ...pairs].join("  ")].join(" ");
  return `${[head, ...formatError(error)].join("\n")}\n`;
}

function formatValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return visible(/^[^\s"=]+$/.test(text) || typeof value !== "string" ? text : JSON.stringify(text));
}

/** Names and messages are untrusted: they must not start a new line, or control the terminal. */
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (character) =>
    character === "\n" ? "\\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function formatError(error: unknown, prefix = "    "): readonly string[] {
  if (error === undefined) return [];
  if (!isErrorRecord(error)) return [`${prefix}${formatValue(error)}`];
  const { name, message, stack, cause } = error;
  const frames = (stack ?? "").split("\n").filter((line) => line.trimStart().startsWith("at "));
  // A failure with a cause is explained by the innermost frames; only the operator's own code is useful.
  const own = frames
    .filter((line) => !line.includes("node:internal") && !line.includes("node_modules"))
    .slice(0, 4);
  return [
    `${prefix}${visible(`${name}: ${message}`)}`,
    ...own.map(visible),
    ...formatError(cause, "    because of "),
  ];
}

interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: unknown;
}

function isErrorRecord(value: unknown): value is ErrorRecord {
  return typeof value === "object" && value !== null && "name" in value && "message" in value;
}
