import { open, stat } from "node:fs/promises";
import type { AuditEvent } from "../../test/cluster/audit-log.ts";
import { recordKeyNames } from "../../test/cluster/install.ts";

/** Reads the audit log in parts: each request once, in the order of their ends. */
export class AuditFeed {
  readonly #path: string;
  #offset: number;

  private constructor(path: string, offset: number) {
    this.#path = path;
    this.#offset = offset;
  }

  static async begin(path: string): Promise<AuditFeed> {
    return new AuditFeed(path, (await stat(path)).size);
  }

  /** Requests since the last call that contain one of these marks. */
  async take(marks: readonly string[]): Promise<readonly AuditEvent[]> {
    const file = await open(this.#path);
    try {
      const length = (await file.stat()).size - this.#offset;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, this.#offset);
      // The last line may be incomplete.
      const end = buffer.subarray(0, bytesRead).lastIndexOf("\n") + 1;
      this.#offset += end;
      return buffer
        .toString("utf8", 0, end)
        .split("\n")
        .filter((line) => marks.some((mark) => line.includes(mark)))
        .map((line) => JSON.parse(line) as AuditEvent);
    } finally {
      await file.close();
    }
  }
}

/** The users in the audit log. */
export interface Parties {
  /** User name of the operator. */
  readonly operator: string;
  /** Namespace of the operator. */
  readonly home: string;
  /** Namespace of the victim. */
  readonly victim: string;
  /** Namespace of the attacker. */
  readonly attacker: string;
}

/** The operator's own writes: Releases (never their spec), events and leases, and the key of records in its namespace. */
const ownResources: ReadonlySet<string> = new Set(["releases", "events", "leases"]);

function isOwnWrite({ objectRef }: AuditEvent, home: string): boolean {
  const { resource = "", namespace, name } = objectRef ?? {};
  return (
    ownResources.has(resource) ||
    (namespace === home && resource === "secrets" && recordKeyNames.includes(name ?? ""))
  );
}

/**
 * Finds forbidden writes, for users. Pure.
 *
 * - With its own rights the operator writes only Releases, events, leases and its own key: no object of any tenant.
 * - With impersonation it uses an account of the namespace in which it writes.
 * - The only writers in the victim's namespace are the victim, its accounts and the controllers of Kubernetes.
 * - While the victim does nothing (`quietSince`), there is no write at all in its namespace.
 */
export function findViolations(
  events: readonly AuditEvent[],
  { operator, home, victim, attacker }: Parties,
  { quietSince }: { readonly quietSince: Date | undefined },
): readonly string[] {
  return events.filter(isDone).flatMap((event) => {
    const { namespace } = event.objectRef ?? {};
    const isOfOperator = event.user.username === operator;
    const actor = (event.impersonatedUser ?? event.user).username;
    const found: string[] = [];
    if (isOfOperator && event.impersonatedUser === undefined && !isOwnWrite(event, home))
      found.push("the operator wrote an object with its own rights");
    if (event.impersonatedUser !== undefined && !actor.startsWith(`system:serviceaccount:${namespace}:`))
      found.push("the operator acted in another namespace than that of the account");
    if (namespace !== victim) return found.map((what) => `${what}: ${lineOf(event)}`);
    if (actor.startsWith(`system:serviceaccount:${attacker}:`)) found.push("the attacker wrote");
    const isQuiet =
      quietSince !== undefined && Date.parse(event.requestReceivedTimestamp) >= quietSince.getTime();
    if (isOfOperator && isQuiet) found.push("the operator wrote although the victim did nothing");
    return found.map((what) => `${what}: ${lineOf(event)}`);
  });
}

/** Whether the API server has accepted a write that is not a dry run. */
function isDone({ verb, responseStatus, requestURI }: AuditEvent): boolean {
  if (["get", "list", "watch"].includes(verb) || requestURI.includes("dryRun")) return false;
  return (responseStatus?.code ?? 500) < 300;
}

function lineOf({ verb, objectRef, user, impersonatedUser, responseStatus }: AuditEvent): string {
  const { resource, subresource, namespace = "", name = "" } = objectRef ?? {};
  const where = `${resource}${subresource ? `/${subresource}` : ""} ${namespace}/${name}`;
  const who =
    impersonatedUser === undefined ? user.username : `${user.username} as ${impersonatedUser.username}`;
  return `${verb} ${where} ${responseStatus?.code} by ${who}`;
}
