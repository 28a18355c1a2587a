import type { NextPlan } from "../../../crds/release.ts";
import type { ShapeOf } from "../../engine/field-shape.ts";
import { describeFailure } from "../../engine/outcome.ts";
import type { SettledObjects } from "../../engine/settled.ts";
import { NotLeadingError, NotOwnedError, ObjectRejectedError } from "../../errors.ts";
import type { Clock, Logger } from "../../ports.ts";
import { delayAfterFailures } from "../../runtime/backoff.ts";
import { FairSemaphore } from "../../runtime/fair-semaphore.ts";
import { inputsOf, type NextFacts, type NextRequest, nextFacts, withCompared } from "./next-facts.ts";
import { findNextProblem, type NextProblemOptions } from "./next-problem.ts";
import { nextKeyOf, type PlannedRelease, readNext } from "./next-source.ts";
import type { ObserveOptions } from "./object-places.ts";
import { countActions, type PlanNextInput, planNext } from "./plan-next.ts";
import { createPreparer } from "./preparer.ts";
import type { SourceOptions } from "./source-release.ts";

export interface NextPlansOptions
  extends Pick<SourceOptions, "sources" | "renderer" | "secrets">,
    NextProblemOptions,
    Pick<ObserveOptions, "namespaceOf"> {
  readonly settled: SettledObjects;
  readonly shapeOf: ShapeOf;
  readonly clock: Clock;
  readonly log: Pick<Logger, "debug">;
  /** Puts keys into the queue. */
  readonly wake: (keys: Iterable<string>) => void;
}

/** The state of a plan. */
export interface NextState {
  /** Undefined: the plan is in progress, and the one in the status is not changed. */
  readonly plan: NextPlan | undefined;
  /** There will be no event: requeue the key after this many milliseconds. */
  readonly againAfterMs?: number;
}

/** Maximum number of concurrent plans, in total and for each namespace. They do not share permits with applies. */
const turns = { permits: 6, perTenant: 3 } as const;
const unwatchedMs = 60_000;
/** Backoff after temporary failures and rejections. There is rarely an event when the cause of a rejection ends. */
const afterFailure = { initialMs: 1_000, factor: 2, capMs: 60_000 };
const afterRefusal = { initialMs: 30_000, factor: 2, capMs: 600_000 };

/** A plan that is in progress or complete. */
interface Run {
  readonly inputs: string;
  readonly abort: AbortController;
  plan: NextPlan | undefined;
  cancelRetry: (() => void) | undefined;
}

interface Planned {
  readonly uid: string;
  facts: NextFacts | undefined;
  run: Run | undefined;
  failures: number;
}

/**
 * Plans commits that Releases do not run. A plan never delays a deployment: `read()` returns the state from memory
 * immediately, and the key of the Release is requeued when the plan is complete. Equal inputs are planned once.
 */
export class NextPlans {
  readonly #options: NextPlansOptions;
  readonly #planned = new Map<string, Planned>();
  readonly #prepare = createPreparer();
  readonly #turns = new FairSemaphore(turns);

  constructor(options: NextPlansOptions) {
    this.#options = options;
  }

  /** @throws ApiUnavailableError if a Secret of the source cannot be read now. */
  async read(request: NextRequest): Promise<NextState> {
    const { key, resource } = request.release;
    const state = await this.#readState(request);
    const { facts } = this.#of(key, resource.metadata.uid);
    return state.plan === undefined ? state : { ...state, plan: withCompared(state.plan, facts) };
  }

  async #readState(request: NextRequest): Promise<NextState> {
    const { release, revision, deployedDigest } = request;
    const { key, resource } = release;
    const planned = this.#of(key, resource.metadata.uid);
    const source = await readNext(release, revision, { ...this.#options, prepare: this.#prepare });
    if (source.state === "pending") return { plan: undefined };
    if (source.state === "failed") {
      stop(planned);
      const again = source.isUnwatched === true ? { againAfterMs: unwatchedMs } : {};
      return { plan: { revision, error: source.message }, ...again };
    }
    const { prepared } = source;
    planned.facts = nextFacts(release, prepared, planned.facts);
    const { refusal, mutableImages } = planned.facts;
    const known = { revision, digest: prepared.digest, mutableImages };
    if (refusal !== undefined) {
      stop(planned);
      return { plan: { ...known, error: refusal } };
    }
    const inputs = inputsOf(request, prepared);
    if (deployedDigest === prepared.digest) {
      stop(planned);
      return { plan: { ...known, ...countActions([]), inputs } };
    }
    if (planned.run?.inputs === inputs) return { plan: planned.run.plan };
    const before = resource.status?.next;
    // The status contains this plan, from before the start of this process or before the request of another plan.
    if (before?.inputs === inputs && before.error === undefined) {
      stop(planned);
      return { plan: before };
    }
    const problem = findNextProblem(release, prepared, this.#options);
    if (problem !== undefined) {
      stop(planned);
      return { plan: problem.state === "failed" ? { ...known, error: problem.message } : undefined };
    }
    if (planned.run !== undefined) planned.failures = 0;
    stop(planned);
    const run: Run = { inputs, abort: new AbortController(), plan: undefined, cancelRetry: undefined };
    planned.run = run;
    void this.#make(request, { ...source, known }, { planned, run });
    return { plan: undefined };
  }

  /** Stops planning commits of the Release. */
  forget(key: string): void {
    const planned = this.#planned.get(key);
    if (planned === undefined) return;
    stop(planned);
    this.#planned.delete(key);
    this.#prepare.forget(planned.uid);
    this.#options.sources.forget(nextKeyOf(key));
    this.#options.renderer.forget(nextKeyOf(key));
  }

  /** Aborts all plans in progress. */
  close(): void {
    for (const planned of this.#planned.values()) stop(planned);
  }

  #of(key: string, uid: string): Planned {
    const known = this.#planned.get(key);
    if (known?.uid === uid) return known;
    this.forget(key);
    const planned: Planned = { uid, facts: undefined, run: undefined, failures: 0 };
    this.#planned.set(key, planned);
    return planned;
  }

  async #make(
    { release, acting }: NextRequest,
    { prepared, revision, known }: Made,
    { planned, run }: { readonly planned: Planned; readonly run: Run },
  ): Promise<void> {
    const { settled, wake, log } = this.#options;
    const { key, resource } = release;
    const { signal } = run.abort;
    const permit = await this.#turns.acquire(resource.metadata.namespace ?? "");
    try {
      if (signal.aborted) return;
      const actions = await planNext(
        { release, prepared, revision },
        {
          ...this.#options,
          cluster: acting.until(signal).dryRun(),
          isSettled: (live) => settled.has(live),
        },
      );
      if (signal.aborted) return;
      planned.failures = 0;
      run.plan = { ...known, ...countActions(actions.values()), inputs: run.inputs };
      log.debug("Planned a commit", () => ({
        release: key,
        revision: known.revision,
        objects: Object.fromEntries([...actions].filter(([, action]) => action !== "keep")),
      }));
      wake([key]);
    } catch (error) {
      if (!signal.aborted) this.#fail(error, release, { planned, run, known });
    } finally {
      permit.release();
    }
  }

  #fail(
    error: unknown,
    { key, resource }: PlannedRelease,
    { planned, run, known }: { readonly planned: Planned; readonly run: Run; readonly known: Known },
  ): void {
    const { clock, wake } = this.#options;
    const again = (): void => {
      if (planned.run === run) planned.run = undefined;
    };
    // The next leader computes the plan.
    if (error instanceof NotLeadingError) {
      again();
      return;
    }
    planned.failures++;
    const isRefusal = error instanceof ObjectRejectedError || error instanceof NotOwnedError;
    run.cancelRetry = clock.schedule(
      delayAfterFailures(planned.failures, isRefusal ? afterRefusal : afterFailure),
      () => {
        again();
        wake([key]);
      },
    );
    const { name, namespace } = resource.metadata;
    const outcome = describeFailure(error, `${resource.kind}/${name}`, { namespace });
    // Do not report a write conflict. The retry resolves it.
    if (outcome.state !== "refused" && outcome.state !== "failed") return;
    run.plan = { ...known, error: outcome.message, inputs: run.inputs };
    wake([key]);
  }
}

type Known = Pick<NextPlan, "revision" | "digest" | "mutableImages">;

interface Made extends Omit<PlanNextInput, "release"> {
  readonly known: Known;
}

function stop(planned: Planned): void {
  planned.run?.abort.abort();
  planned.run?.cancelRetry?.();
  planned.run = undefined;
}
