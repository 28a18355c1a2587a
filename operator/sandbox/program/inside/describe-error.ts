import type { DescribedError } from "./outcome.ts";

/** Maximum length of the text of one error. */
const LENGTH = 8_192;

/** Describes any thrown value with strings: programs may throw anything, also objects with getters that throw. */
export function describeError(error: unknown): DescribedError {
  const name = read(error, "name");
  const message = read(error, "message");
  const path = pathOf(error);
  return {
    name: name === "" ? "Error" : name,
    message: message === "" && name === "" ? show(error) : message,
    // Frames of the libraries do not help the author, and frames around them differ between runs.
    stack: read(error, "stack")
      .split("\n")
      .filter((line) => line.includes("release-program.js:"))
      .join("\n"),
    ...(path !== undefined && { path: path.path, message: path.message }),
  };
}

function read(error: unknown, field: string): string {
  try {
    if (typeof error !== "object" || error === null) return "";
    const value = (error as Record<string, unknown>)[field];
    return typeof value === "string" ? value.slice(0, LENGTH) : "";
  } catch {
    return "";
  }
}

function show(value: unknown): string {
  try {
    return (typeof value === "object" ? JSON.stringify(value) : String(value)).slice(0, LENGTH);
  } catch {
    return "something that cannot be shown";
  }
}

/** The first problem that a schema library reports (`issues`, as in zod and standard schemas). */
function pathOf(error: unknown): { path: string; message: string } | undefined {
  try {
    const issues = (error as { issues?: unknown }).issues;
    if (!Array.isArray(issues)) return undefined;
    const [first, ...others] = issues as { path?: unknown; message?: unknown }[];
    if (first === undefined || typeof first.message !== "string") return undefined;
    const parts: unknown[] = Array.isArray(first.path) ? first.path : [];
    const path = parts.reduce<string>((text, part) => {
      const key = typeof part === "object" && part !== null ? (part as { key?: unknown }).key : part;
      if (typeof key === "number") return `${text}[${key}]`;
      return /^[A-Za-z_]\w*$/.test(String(key)) ? `${text}.${String(key)}` : `${text}["${String(key)}"]`;
    }, "inputs");
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    return { path, message: `${first.message}${more}`.slice(0, LENGTH) };
  } catch {
    return undefined;
  }
}
