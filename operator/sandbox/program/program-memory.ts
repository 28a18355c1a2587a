import { SourceError } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import { FairSemaphore, type Permit } from "../../runtime/fair-semaphore.ts";

/** A job took more than its small share. It is run again with all that a job may have. */
export class OverShareError extends SourceError {}

/** Resident memory that is enough for most jobs. A program of cdk8s takes 80 to 110 MiB. */
const SHARE_MIB = 128;
/** Of the resident memory of a process, pages of files, which all processes of a program share. */
const FILES_MIB = 40;
/** Jobs that are known to need more than a share. */
const LARGE_KEYS = 1_000;

export interface ProgramMemoryOptions {
  readonly clock: Clock;
  /** For all processes of programs and of the bundler together. */
  readonly budgetMiB: number;
}

export interface MemoryJob {
  readonly namespace: string;
  /** Names the job: one that needed more than a share gets more the next time. */
  readonly key: string;
  /** Most resident memory that the job may have. */
  readonly mostMiB: number;
}

/** Memory that a job may take, resident. */
export interface MemoryGrant {
  readonly limitMiB: number;
  /** There is more for the job if it needs it: say so by an {@link OverShareError}. */
  readonly isShare: boolean;
  readonly permit: Permit;
}

/**
 * Shares out the memory of program processes and of the bundler. Every job begins with a small share, so that several run at
 * a time. A job that needs more is run again, with the most that a job may have.
 */
export class ProgramMemory {
  readonly #budgetMiB: number;
  readonly #mebibytes: FairSemaphore;
  readonly #large = new Set<string>();

  constructor({ clock, budgetMiB }: ProgramMemoryOptions) {
    this.#budgetMiB = budgetMiB;
    this.#mebibytes = new FairSemaphore({ permits: budgetMiB, perTenant: budgetMiB / 2, clock });
  }

  /** Memory that no running job may take. */
  get freeMiB(): number {
    return this.#budgetMiB - this.#mebibytes.held;
  }

  /** The most that a job may have: what it asks for, if the budget has that much. */
  limitOf(mostMiB: number): number {
    return Math.min(mostMiB, this.#budgetMiB + FILES_MIB);
  }

  /**
   * Runs a job when there is memory for it, with a share first.
   *
   * @throws What the job throws, apart from the {@link OverShareError} of its share.
   */
  async run<Result>(job: MemoryJob, work: (grant: MemoryGrant) => Promise<Result>): Promise<Result> {
    if (!this.#large.has(job.key) && SHARE_MIB < this.limitOf(job.mostMiB)) {
      try {
        return await this.#run(job, { limitMiB: SHARE_MIB, isShare: true }, work);
      } catch (error) {
        if (!(error instanceof OverShareError)) throw error;
        this.#noteLarge(job.key);
      }
    }
    return await this.#run(job, { limitMiB: this.limitOf(job.mostMiB), isShare: false }, work);
  }

  async #run<Result>(
    { namespace }: MemoryJob,
    grant: Omit<MemoryGrant, "permit">,
    work: (grant: MemoryGrant) => Promise<Result>,
  ): Promise<Result> {
    const weight = Math.max(1, grant.limitMiB - FILES_MIB);
    const permit = await this.#mebibytes.acquire(namespace, { weight });
    try {
      return await work({ ...grant, permit });
    } finally {
      permit.release();
    }
  }

  #noteLarge(key: string): void {
    this.#large.add(key);
    const [oldest] = this.#large;
    if (this.#large.size > LARGE_KEYS && oldest !== undefined) this.#large.delete(oldest);
  }
}
