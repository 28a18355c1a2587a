import type { HealthCheck } from "../../../crds/health-check.ts";
import { groupOf, type LiveObject } from "../../../crds/object.ts";
import { type AssessHealthOptions, assessHealth, type Health } from "./health.ts";
import { compileExpression, ExpressionError, type HealthExpression } from "./health-expression.ts";
import { current, failed, inProgress, isUnobserved } from "./health-fields.ts";

/**
 * Assesses objects with the checks of their resource, or with the built-in checks if there are none for a kind. Expressions
 * are compiled once.
 */
export interface HealthChecks {
  /** The error in the expressions themselves, with the path of the field; undefined: none. */
  problemOf(checks: readonly HealthCheck[] | undefined): string | undefined;
  /**
   * {@link assessHealth}, with the checks of a resource. An Ingress without an address is healthy at once, because many
   * never get one.
   */
  assess(
    live: LiveObject | undefined,
    checks: readonly HealthCheck[] | undefined,
    options: AssessHealthOptions,
  ): Health;
}

export interface CreateHealthChecksOptions {
  /** Maximum number of compiled expressions in the cache. The least recently used one is removed first. Default: 500. */
  readonly capacity?: number;
}

const steps = ["inProgress", "failed", "current"] as const;

/** Health checks with a cache of compiled expressions. */
export function createHealthChecks({ capacity = 500 }: CreateHealthChecksOptions = {}): HealthChecks {
  const memory = new Map<string, HealthExpression | ExpressionError>();
  const compiled = (text: string): HealthExpression | ExpressionError => {
    const found = memory.get(text) ?? tryCompile(text);
    memory.delete(text);
    memory.set(text, found);
    if (memory.size > capacity) memory.delete(memory.keys().next().value ?? text);
    return found;
  };
  const run = (text: string, live: LiveObject): boolean => {
    const expression = compiled(text);
    if (expression instanceof ExpressionError) throw expression;
    return expression(live);
  };
  return {
    problemOf(checks = []) {
      for (const [index, check] of checks.entries()) {
        for (const step of steps) {
          const text = check[step];
          const expression = text === undefined ? undefined : compiled(text);
          if (expression instanceof ExpressionError)
            return `spec.healthChecks[${index}].${step} cannot be used: ${expression.message}`;
        }
      }
      return undefined;
    },
    assess(live, checks, options) {
      const check = live && checks?.find((one) => isFor(one, live));
      const isPlain =
        live === undefined || check === undefined || live.metadata.deletionTimestamp !== undefined;
      if (isPlain) return assessHealth(live, { ...options, awaitsAddress: false });
      if (isUnobserved(live))
        return inProgress("Unobserved", "its controller has not observed the change yet");
      return assessBy(check, live, run);
    },
  };
}

function tryCompile(text: string): HealthExpression | ExpressionError {
  try {
    return compileExpression(text);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}

/** Whether a check is for an object, in any API version: the author does not choose the version of the local copies. */
function isFor({ apiVersion, kind }: HealthCheck, live: LiveObject): boolean {
  return live.kind === kind && groupOf(live.apiVersion) === groupOf(apiVersion);
}

function assessBy(
  check: HealthCheck,
  live: LiveObject,
  run: (text: string, live: LiveObject) => boolean,
): Health {
  for (const step of steps) {
    const text = check[step];
    if (text === undefined) continue;
    try {
      if (!run(text, live)) continue;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      // A field that does not exist yet does not indicate failure or progress.
      if (error.isFieldMissing && step !== "current") continue;
      return inProgress("HealthCheck", `its health check ${step} cannot be evaluated: ${error.message}`);
    }
    if (step === "inProgress")
      return inProgress("HealthCheck", "its health check reports that it is in progress");
    if (step === "failed") return failed("HealthCheck", "its health check reports that it failed");
    return current("");
  }
  return inProgress("HealthCheck", "its health check does not report that it is healthy");
}
