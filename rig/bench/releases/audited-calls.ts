import { open, stat } from "node:fs/promises";

/** Requests by what they did, such as `patch deployments` or `patch releases/status`. */
export type Calls = ReadonlyMap<string, number>;

interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
  readonly stage?: string;
}

/** Counts what the operator asked of the API server since a moment, from the server's audit log. Leases do not count. */
export class AuditedCalls {
  readonly #path: string;
  #from: number;

  private constructor(path: string, from: number) {
    this.#path = path;
    this.#from = from;
  }

  static async begin(path: string): Promise<AuditedCalls> {
    return new AuditedCalls(path, (await stat(path)).size);
  }

  /** Calls since the last time. A watch counts when it has ended, so they are left out. */
  async take(): Promise<Calls> {
    return countCalls(await this.takeLines());
  }

  /** All lines of the log since the last time. */
  async takeLines(): Promise<readonly string[]> {
    const file = await open(this.#path);
    try {
      const length = (await file.stat()).size - this.#from;
      const buffer = Buffer.alloc(Math.max(0, length));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, this.#from);
      // Lines that are written at this moment belong to the next read.
      const end = buffer.lastIndexOf(10, bytesRead - 1) + 1;
      this.#from += end;
      return buffer.toString("utf8", 0, end).split("\n");
    } finally {
      await file.close();
    }
  }
}

/** Pure. */
export function countCalls(lines: readonly string[]): Calls {
  const calls = new Map<string, number>();
  for (const line of lines) {
    if (!line.includes('"username":"operator"')) continue;
    const { verb, user, objectRef } = JSON.parse(line) as AuditLine;
    // Discovery has no object: some requests when the first Release comes, however many there are.
    const { resource = "discovery", subresource } = objectRef ?? {};
    if (user.username !== "operator" || verb === "watch" || resource === "leases") continue;
    const name = `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`;
    calls.set(name, (calls.get(name) ?? 0) + 1);
  }
  return calls;
}

/** All of them, or those whose name matches. Pure. */
export function sumOf(calls: Calls, pattern = /./): number {
  return calls.entries().reduce((sum, [name, count]) => (pattern.test(name) ? sum + count : sum), 0);
}

/** As people read them, the most frequent first. Pure. */
export function describeCalls(calls: Calls, per = 1): string {
  return (
    [...calls]
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, count]) => `${Number((count / per).toFixed(2))} ${name}`)
      .join(", ") || "none"
  );
}
