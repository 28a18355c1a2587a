import type { SourceFailure } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { SmallestLimit } from "./ports.ts";
import { addUse, decideRun, isForgotten, type UsedMinute } from "./program-quota.ts";

export interface ProgramQuotasOptions {
  readonly clock: Clock;
  /** The quota of a namespace is used up: {@link ProgramQuotas.failureOf} returns until when. */
  readonly onUsedUp: (namespace: string) => void;
}

/** One run of a program that counts against the quota of its namespace. */
export interface CountedRun {
  /** Called when the program's process has started or finished the work for it. */
  readonly note: (isRunning: boolean) => void;
  readonly end: () => void;
}

interface Open {
  readonly mostMs: number;
}

interface Waiting {
  readonly mostMs: number;
  readonly begin: (run: CountedRun) => void;
}

interface Tenant {
  used: readonly UsedMinute[];
  readonly open: Set<Open>;
  readonly waiting: Set<Waiting>;
  /** Set while the quota is used up and a run waits. */
  usedUp: UsedUp | undefined;
}

interface UsedUp {
  readonly untilMs: number;
  readonly quota: SmallestLimit;
  readonly failure: SourceFailure;
  readonly cancel: () => void;
}

/** The run time of the programs of each namespace in the last hour. Runs beyond the quota wait. */
export class ProgramQuotas {
  readonly #options: ProgramQuotasOptions;
  readonly #quotas = new Map<string, SmallestLimit>();
  readonly #tenants = new Map<string, Tenant>();

  constructor(options: ProgramQuotasOptions) {
    this.#options = options;
  }

  /** Sets the quota of a namespace; undefined: no quota. A change takes effect at once. */
  limit(namespace: string, quota: SmallestLimit | undefined): void {
    const before = this.#quotas.get(namespace);
    if (before?.value === quota?.value && before?.from === quota?.from) return;
    if (quota === undefined) this.#quotas.delete(namespace);
    else this.#quotas.set(namespace, quota);
    const tenant = this.#tenants.get(namespace);
    if (tenant !== undefined) this.#continue(namespace, tenant);
  }

  /** Why programs of the namespace wait; undefined: none waits, or they wait only for another one to end. */
  failureOf(namespace: string): SourceFailure | undefined {
    return this.#tenants.get(namespace)?.usedUp?.failure;
  }

  /**
   * Calls `begin` as soon as the quota allows one more run, perhaps at once. In order.
   *
   * @param mostMs Maximum duration of the run.
   * @returns A function that cancels the request, if the run has not started.
   */
  ask(namespace: string, mostMs: number, begin: (run: CountedRun) => void): () => void {
    const tenant = this.#tenants.getOrInsertComputed(namespace, newTenant);
    const waiting: Waiting = { mostMs, begin };
    tenant.waiting.add(waiting);
    this.#continue(namespace, tenant);
    return () => {
      if (tenant.waiting.delete(waiting)) this.#continue(namespace, tenant);
    };
  }

  #continue(namespace: string, tenant: Tenant): void {
    for (const waiting of tenant.waiting) {
      const decision = this.#decide(namespace, tenant);
      if (decision.state === "used-up") {
        this.#useUp(namespace, tenant, decision.untilMs);
        return;
      }
      if (decision.state === "wait") break;
      tenant.waiting.delete(waiting);
      waiting.begin(this.#begin(namespace, tenant, waiting));
    }
    tenant.usedUp?.cancel();
    tenant.usedUp = undefined;
    if (tenant.waiting.size === 0 && tenant.open.size === 0 && isForgotten(tenant.used, this.#nowMs()))
      this.#tenants.delete(namespace);
  }

  #decide(namespace: string, { used, open }: Tenant): ReturnType<typeof decideRun> {
    const quota = this.#quotas.get(namespace);
    if (quota === undefined) return { state: "run" };
    const openMs = [...open].reduce((sum, { mostMs }) => sum + mostMs, 0);
    return decideRun({ used, openMs, quotaMs: quota.value * 1_000, nowMs: this.#nowMs() });
  }

  #useUp(namespace: string, tenant: Tenant, untilMs: number): void {
    const { clock, onUsedUp } = this.#options;
    const quota = this.#quotas.get(namespace);
    const { usedUp } = tenant;
    if (quota === undefined || (usedUp?.untilMs === untilMs && usedUp.quota === quota)) return;
    usedUp?.cancel();
    const delayMs = untilMs - clock.now();
    const cancel = clock.schedule(delayMs, () => {
      // A timer may fire a millisecond early: then another one is set.
      tenant.usedUp = undefined;
      this.#continue(namespace, tenant);
    });
    const failure = describe(quota, new Date(clock.wallClock().getTime() + delayMs));
    tenant.usedUp = { untilMs, quota, failure, cancel };
    onUsedUp(namespace);
  }

  #begin(namespace: string, tenant: Tenant, { mostMs }: Waiting): CountedRun {
    const open: Open = { mostMs };
    tenant.open.add(open);
    let [usedMs, sinceMs]: [number, number | undefined] = [0, undefined];
    const note = (isRunning: boolean): void => {
      const nowMs = this.#nowMs();
      if (sinceMs !== undefined) usedMs += nowMs - sinceMs;
      sinceMs = isRunning ? nowMs : undefined;
    };
    const end = (): void => {
      if (!tenant.open.delete(open)) return;
      note(false);
      if (usedMs > 0) tenant.used = addUse(tenant.used, usedMs, this.#nowMs());
      this.#forgetOld();
      // Namespaces are in the order of their last runs.
      this.#tenants.delete(namespace);
      this.#tenants.set(namespace, tenant);
      this.#continue(namespace, tenant);
    };
    return { note, end };
  }

  /** Removes namespaces without runs in the last hour. */
  #forgetOld(): void {
    const nowMs = this.#nowMs();
    for (const [namespace, { used, open, waiting }] of this.#tenants) {
      if (open.size > 0 || waiting.size > 0) continue;
      if (!isForgotten(used, nowMs)) return;
      this.#tenants.delete(namespace);
    }
  }

  #nowMs(): number {
    return this.#options.clock.now();
  }
}

function newTenant(): Tenant {
  return { used: [], open: new Set(), waiting: new Set(), usedUp: undefined };
}

function describe({ value, from }: SmallestLimit, until: Date): SourceFailure {
  const at = new Date(Math.ceil(until.getTime() / 1_000) * 1_000).toISOString().replace(".000Z", "Z");
  const message =
    `Programs of this namespace used up the ${value} s per hour that ${from} allows. ` +
    `Rendering continues at ${at}; the deployed objects stay in sync`;
  return { reason: "RenderQuota", message };
}
