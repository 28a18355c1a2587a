import { readFile } from "node:fs/promises";

/** One request that the API server answered, as its audit log has it. */
export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface AuditQuery {
  readonly user?: string;
  /** Only requests about objects of this namespace. */
  readonly namespace?: string;
  /** Only requests that arrived at this time or later. */
  readonly since?: Date;
}

/** Reads the requests of the log in the order of their ends. A watch is in it once it ended. */
export async function readAuditLog(
  path: string,
  { user, namespace, since }: AuditQuery = {},
): Promise<AuditEvent[]> {
  // The last line may still be in the making.
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  const mark = namespace === undefined ? "{" : `"namespace":"${namespace}"`;
  const sinceMs = since?.getTime() ?? 0;
  return lines
    .filter((line) => line.includes(mark))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(
      (event) =>
        (user === undefined || event.user.username === user) &&
        (namespace === undefined || event.objectRef?.namespace === namespace) &&
        Date.parse(event.requestReceivedTimestamp) >= sinceMs,
    );
}
