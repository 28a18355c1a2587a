/** A request that changes something, as it came to the proxy. */
export interface SentWrite {
  /** The API server has it in its audit log. */
  readonly auditId: string;
  /** Which start of which operator sent it. */
  readonly incarnation: string;
  readonly method: string;
  readonly path: string;
  readonly arrivedMs: number;
  /** For a write of the Lease: whom it names; empty when it gives the Lease up. */
  readonly holder: string | undefined;
}

/** Everything that the operators of one schedule sent, and what was done to it. */
export class Journal {
  readonly writes: SentWrite[] = [];
  /** Requests, streams or connections that faults of a type really hit. */
  readonly hits = new Map<string, number>();
  readonly #prefix: string;
  #count = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  nextAuditId(): string {
    this.#count += 1;
    return `${this.#prefix}.${this.#count}`;
  }

  hit(type: string): void {
    this.hits.set(type, (this.hits.get(type) ?? 0) + 1);
  }

  /** Writes to anything but Leases and events. */
  objectWrites(): readonly SentWrite[] {
    return this.writes.filter(({ path, holder }) => holder === undefined && !path.includes("/events"));
  }
}

/** The holder that the body of a write to a Lease names. */
export function holderIn(path: string, body: string): string | undefined {
  if (!path.includes("/leases")) return undefined;
  try {
    return (JSON.parse(body) as { spec?: { holderIdentity?: string } }).spec?.holderIdentity ?? "";
  } catch {
    return "";
  }
}
