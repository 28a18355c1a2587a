/** A write, as received by the proxy. */
export interface SentWrite {
  /** Its id in the API server's audit log. */
  readonly auditId: string;
  /** The operator and the number of its start. */
  readonly incarnation: string;
  readonly method: string;
  readonly path: string;
  readonly arrivedMs: number;
  /** For a write of the Lease: the holder; empty: the Lease is released. */
  readonly holder: string | undefined;
}

/** Records the writes of the operators of one schedule, and the faults that affected them. */
export class Journal {
  readonly writes: SentWrite[] = [];
  /** Number of requests, streams or connections that faults of each type have affected. */
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

  /** Writes, except for Leases and events. */
  objectWrites(): readonly SentWrite[] {
    return this.writes.filter(({ path, holder }) => holder === undefined && !path.includes("/events"));
  }
}

/** The holder in the body of a write to a Lease. */
export function holderIn(path: string, body: string): string | undefined {
  if (!path.includes("/leases")) return undefined;
  try {
    return (JSON.parse(body) as { spec?: { holderIdentity?: string } }).spec?.holderIdentity ?? "";
  } catch {
    return "";
  }
}
