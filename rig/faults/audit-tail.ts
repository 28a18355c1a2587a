import { open, stat } from "node:fs/promises";
import type { AuditEvent } from "../../test/cluster/audit-log.ts";

export interface AuditedRequest extends AuditEvent {
  readonly auditID: string;
  readonly stageTimestamp: string;
}

/** Reads the entries of the API server's audit log since a time. */
export class AuditTail {
  readonly #path: string;
  readonly #from: number;

  private constructor(path: string, from: number) {
    this.#path = path;
    this.#from = from;
  }

  static async begin(path: string): Promise<AuditTail> {
    return new AuditTail(path, (await stat(path)).size);
  }

  /** Requests about one namespace, in the order of their ends. */
  async read(namespace: string): Promise<readonly AuditedRequest[]> {
    const file = await open(this.#path);
    try {
      const length = (await file.stat()).size - this.#from;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, this.#from);
      const mark = `"namespace":"${namespace}"`;
      return buffer
        .toString("utf8", 0, bytesRead)
        .split("\n")
        .slice(0, -1)
        .filter((line) => line.includes(mark))
        .flatMap(parse);
    } finally {
      await file.close();
    }
  }
}

/** Parses a line. A kill of the API server may leave an incomplete line, which is ignored. */
function parse(line: string): readonly AuditedRequest[] {
  try {
    return [JSON.parse(line) as AuditedRequest];
  } catch {
    return [];
  }
}
