import { SourceError } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import { FairSemaphore, type Permit } from "../../runtime/fair-semaphore.ts";

/** A job exceeded its small share. It is repeated with the full limit of a job. */
export class OverShareError extends SourceError {}

/** Resident memory that is enough for most jobs. A program with cdk8s takes 80 to 110 MiB. */
const SHARE_MIB = 128;
/** Pages of files within the resident memory of a process. All processes of a program share them. */
const FILES_MIB = 40;
/** Maximum number of stored jobs that need more than a share. */
const LARGE_KEYS = 1_000;

export interface ProgramMemoryOptions {
  readonly clock: Clock;
  /** Memory of all processes of programs and of the bundler together. */
  readonly budgetMiB: number;
}

export interface MemoryJob {
  readonly namespace: string;
  /** Identifies the job: one that exceeded its share gets more the next time. */
  readonly key: string;
  /** Maximum resident memory of the job. */
  readonly mostMiB: number;
}

/** Resident memory that a job may take. */
export interface MemoryGrant {
  readonly limitMiB: number;
  /** More memory is available for the job: throw an {@link OverShareError} to get it. */
  readonly isShare: boolean;
  readonly permit: Permit;
}

/**
 * Distributes the memory of program processes and of the bundler. Every job starts with a small share, so that several
 * run at a time. A job that needs more is repeated with the full limit of a job.
 */
export class ProgramMemory {
  readonly #budgetMiB: number;
  readonly #mebibytes: FairSemaphore;
  readonly #large = new Set<string>();

  constructor({ clock, budgetMiB }: ProgramMemoryOptions) {
    this.#budgetMiB = budgetMiB;
    this.#mebibytes = new FairSemaphore({ permits: budgetMiB, perTenant: budgetMiB / 2, clock });
  }

  /** Memory that is not granted to a running job. */
  get freeMiB(): number {
    return this.#budgetMiB - this.#mebibytes.held;
  }

  /** The full limit of a job: its own limit, or the budget if that is smaller. */
  limitOf(mostMiB: number): number {
    return Math.min(mostMiB, this.#budgetMiB + FILES_MIB);
  }

  /**
   * Runs a job when memory is available for it, first with a share.
   *
   * @throws Errors of the job, except the {@link OverShareError} of its share.
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
