import { appendFile, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** One request that the API server answered, as its audit log has it. */
export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly user: {
    readonly username: string;
    readonly groups?: readonly string[];
    /** More facts of the credentials, such as the pod that a token was made for. */
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** The user whose rights counted, if `user` impersonated one. */
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

/** Reads the requests of the log in the order of their ends. A watch is in it once it ended. */
export async function readAuditLog(
  path: string,
  { user, namespace, since }: AuditQuery = {},
): Promise<AuditEvent[]> {
  // The last line may still be in the making.
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  // Most lines are of others, and telling so by their text is much cheaper than parsing them.
  const marks = [
    ...(namespace === undefined ? [] : [`"namespace":"${namespace}"`]),
    ...(user === undefined ? [] : [`"username":"${user}"`]),
  ];
  const sinceMs = since?.getTime() ?? 0;
  return lines
    .filter((line) => marks.every((mark) => line.includes(mark)))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(
      (event) =>
        (user === undefined || event.user.username === user) &&
        (namespace === undefined || event.objectRef?.namespace === namespace) &&
        Date.parse(event.requestReceivedTimestamp) >= sinceMs,
    );
}

export interface StoriesLog {
  readonly auditLogPath: string;
  /** When the run began; the cluster may be older. */
  readonly startedAt: string;
}

/** The requests of the operators of all tests of a run, also on clusters of their own. */
export async function operatorRequests({ auditLogPath, startedAt }: StoriesLog): Promise<AuditEvent[]> {
  const elsewhere = await readAuditLog(elsewherePath(auditLogPath)).catch(() => []);
  const events = [...(await readAuditLog(auditLogPath)), ...elsewhere];
  return events.filter((event) => isOfOperator(event) && event.requestReceivedTimestamp >= startedAt);
}

/** Keeps what operators asked on another cluster, which is about to go. */
export async function keepOperatorRequests(
  auditLogPath: string,
  { auditLogPath: shared }: StoriesLog,
): Promise<void> {
  let events = (await readAuditLog(auditLogPath)).filter(isOfOperator);
  // A watch is written down when it ends, which is a moment after its operator did.
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

/** Excludes kubectl with an operator's credentials, and a test that uses its adapter as `admin`. */
function isOfOperator({ userAgent = "", user }: AuditEvent): boolean {
  return userAgent.startsWith("fairlead/") && user.username !== "admin";
}
