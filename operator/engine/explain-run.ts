import type { PublishState } from "../ports.ts";
import type { PruneDecision } from "./decide-prune.ts";
import type { Change } from "./note-result.ts";
import { describeId } from "./object-text.ts";
import { describeObject } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { explainPrune, type StepReason } from "./reasons.ts";

/** The parts of a run that contain its reasons. */
interface ConvergedRun {
  readonly plan?: Pick<Plan, "reasons"> | undefined;
  readonly pruned?: PruneDecision | undefined;
  readonly changes?: readonly Change[];
  /** Steps of all passes of the run. */
  readonly steps?: readonly StepReason[];
  /** Additions to objects of other owners that were not sent, and removals. */
  readonly held?: readonly StepReason[] | undefined;
}

/** The end of a run, with the parts that explain it. */
export interface ExplainedRun extends ConvergedRun {
  readonly outcome: {
    readonly state: string;
    readonly message?: string;
    readonly failure?: { readonly message: string };
    /** Whether it is reported only after a long time. */
    readonly isQuiet?: boolean;
  };
  readonly error?: unknown;
  /** State of the publication; undefined: nothing was offered. */
  readonly publish?: PublishState | undefined;
  readonly converged?: ConvergedRun;
}

/** The writes and waits of a run, as texts for the log. */
export interface RunReasons {
  /** The result of the run: `applied`, `waiting`, … */
  readonly outcome: string;
  readonly did: readonly string[];
  /** The reasons why the resource waits: first for the resource, then for each object. */
  readonly waits: readonly string[];
  /** Objects that were not changed although they differ. */
  readonly keeps: readonly string[];
}

/** Lists the reasons of all steps of a run, and of the postponed steps. Pure. */
export function explainRun(ended: ExplainedRun): RunReasons {
  const { plan, pruned, changes = [], steps = [], held = [] } = ended.converged ?? ended;
  const left = [...(plan?.reasons ?? []), ...(pruned === undefined ? [] : explainPrune(pruned)), ...held];
  const gone = changes.filter(({ done }) => done === "Pruned");
  const of = (...verbs: readonly string[]) =>
    left.filter(({ does }) => verbs.includes(does)).map(describeStep);
  return {
    outcome: ended.outcome.state,
    did: [
      ...steps.map(describeStep),
      ...gone.map(({ live, why }) => `prune ${describeObject(live)}: it is ${why}`),
    ],
    waits: [...describeOutcome(ended), ...of("hold", "wait"), ...describePublication(ended)],
    keeps: of("keep"),
  };
}

/** Whether a step sends a request. Pure. */
export function isSent({ does }: StepReason): boolean {
  return does !== "wait" && does !== "hold" && does !== "keep";
}

function describeStep({ does, id, reason }: StepReason): string {
  // The text of a gate already names the object.
  return reason.startsWith(describeId(id)) ? reason : `${does} ${describeId(id)}: ${reason}`;
}

function describeOutcome({ outcome, error }: ExplainedRun): readonly string[] {
  if (outcome.state === "suspended") return ["spec.suspend is true"];
  const { message = outcome.failure?.message } = outcome;
  if (message !== undefined) return [message];
  return error instanceof Error ? [error.message] : [];
}

function describePublication({ publish }: ExplainedRun): readonly string[] {
  if (publish?.state === "pending") return ["its commit is not pushed yet"];
  return publish?.state === "failed" ? [publish.message] : [];
}
