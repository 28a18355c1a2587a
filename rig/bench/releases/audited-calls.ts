import { open, stat } from "node:fs/promises";

/** Number of requests by verb and resource, such as `patch deployments` or `patch releases/status`. */
export type Calls = ReadonlyMap<string, number>;

/** The fields of a line of the audit log that are read here. */
export interface AuditLine {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly name?: string };
  readonly requestReceivedTimestamp: string;
}

/** Counts the operator's requests to the API server since a time, from the server's audit log. Leases do not count. */
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

  /** Calls since the last time. Watches are left out, because they are logged when they end. */
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
      // An incomplete line belongs to the next read.
      const end = buffer.lastIndexOf(10, bytesRead - 1) + 1;
      this.#from += end;
      return buffer.toString("utf8", 0, end).split("\n");
    } finally {
      await file.close();
    }
  }
}

/** Counts the requests in lines of the log. Pure. */
export function countCalls(lines: readonly string[]): Calls {
  const calls = new Map<string, number>();
  for (const line of lines) {
    if (!line.includes('"username":"operator"')) continue;
    const request = JSON.parse(line) as AuditLine;
    const name = callOf(request);
    if (name === undefined || request.user.username !== "operator") continue;
    calls.set(name, (calls.get(name) ?? 0) + 1);
  }
  return calls;
}

/** The verb and resource of a request, such as `patch releases/status`. Undefined: a watch, or a Lease. Pure. */
export function callOf({ verb, objectRef = {} }: AuditLine): string | undefined {
  // Requests for discovery have no object. Their number does not depend on the number of Releases.
  const { resource = "discovery", subresource } = objectRef;
  if (verb === "watch" || resource === "leases") return undefined;
  return `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`;
}

/** The sum of all calls, or of those whose name matches. Pure. */
export function sumOf(calls: Calls, pattern = /./): number {
  return calls.entries().reduce((sum, [name, count]) => (pattern.test(name) ? sum + count : sum), 0);
}

/** Describes calls for users, the most frequent first. Pure. */
export function describeCalls(calls: Calls, per = 1): string {
  return (
    [...calls]
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, count]) => `${Number((count / per).toFixed(2))} ${name}`)
      .join(", ") || "none"
  );
}
