import { appendFile, type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** One answered request of the API server, from its audit log. */
export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly user: {
    readonly username: string;
    readonly groups?: readonly string[];
    /** Further claims of the credentials, such as the pod for which a token was created. */
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** The impersonated user, if any. */
  readonly impersonatedUser?: AuditEvent["user"];
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

/** Reads the requests of the log in the order of their ends. A watch is included once it has ended. */
export async function readAuditLog(
  path: string,
  { user, namespace, since }: AuditQuery = {},
): Promise<AuditEvent[]> {
  const sinceMs = since?.getTime() ?? 0;
  const mark = namespace === undefined ? user && `"username":"${user}"` : `"namespace":"${namespace}"`;
  return linesWith(mark ?? '"kind":"Event"', await readEnd(path, sinceMs))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(
      (event) =>
        (user === undefined || event.user.username === user) &&
        (namespace === undefined || event.objectRef?.namespace === namespace) &&
        Date.parse(event.requestReceivedTimestamp) >= sinceMs,
    );
}

/** The lines that contain a text. Other lines are not decoded, because most lines of the shared log belong to other tests. */
function linesWith(mark: string, log: Buffer): string[] {
  const lines: string[] = [];
  for (let at = log.indexOf(mark); at >= 0; ) {
    const end = log.indexOf("\n", at);
    // The last line may be incomplete.
    if (end < 0) break;
    lines.push(log.toString("utf8", log.lastIndexOf("\n", at) + 1, end));
    at = log.indexOf(mark, end);
  }
  return lines;
}

/** Size of the parts that the binary search reads, which is longer than any line, and the maximum disorder of lines in time. */
const PART_BYTES = 256 * 1024;
const DISORDER_MS = 5_000;

/**
 * Reads the end of the log with all requests since a time. It uses a binary search, because the log of a run may have hundreds
 * of megabytes.
 */
async function readEnd(path: string, sinceMs: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    let [from, to] = [0, size];
    while (sinceMs > 0 && to - from > PART_BYTES) {
      const middle = Math.floor((from + to) / 2);
      const part = await readPart(file, middle, PART_BYTES);
      const [, time = ""] = /\n[^\n]*"stageTimestamp":"([^"]+)"/.exec(part.toString("latin1")) ?? [];
      if (Date.parse(time) < sinceMs - DISORDER_MS) from = middle;
      else to = middle;
    }
    const end = await readPart(file, from, size - from);
    // The part begins within an older line.
    return from === 0 ? end : end.subarray(end.indexOf("\n") + 1);
  } finally {
    await file.close();
  }
}

async function readPart(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

export interface RunLog {
  readonly auditLogPath: string;
  /** Start of the run; the cluster may be older. */
  readonly startedAt: string;
}

/** The requests of the operators of all tests of a run, also on clusters of their own. */
export async function operatorRequests({ auditLogPath, startedAt }: RunLog): Promise<AuditEvent[]> {
  const elsewhere = await readAuditLog(elsewherePath(auditLogPath)).catch(() => []);
  const events = [...(await readAuditLog(auditLogPath, { since: new Date(startedAt) })), ...elsewhere];
  return events.filter((event) => isOfOperator(event) && event.requestReceivedTimestamp >= startedAt);
}

/** Keeps the requests of operators on another cluster, which is about to be removed. */
export async function keepOperatorRequests(
  auditLogPath: string,
  { auditLogPath: shared }: RunLog,
): Promise<void> {
  let events = (await readAuditLog(auditLogPath)).filter(isOfOperator);
  // A watch is logged when it ends, shortly after its operator has ended.
  for (
    let tries = 0;
    tries < 20 && events.length > 0 && !events.some(({ verb }) => verb === "watch");
    tries++
  ) {
    await sleep(100);
    events = (await readAuditLog(auditLogPath)).filter(isOfOperator);
  }
  await appendFile(elsewherePath(shared), events.map((event) => `${JSON.stringify(event)}\n`).join(""));
}

function elsewherePath(auditLogPath: string): string {
  return join(dirname(auditLogPath), "audit-elsewhere.log");
}

/** Excludes kubectl with an operator's credentials, and a test that uses the adapter as `admin`. */
function isOfOperator({ userAgent = "", user }: AuditEvent): boolean {
  return userAgent.startsWith("fairlead/") && user.username !== "admin";
}
