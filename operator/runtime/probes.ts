import type { Logger } from "../ports.ts";
import type { HttpAnswer, HttpRoute } from "./http-server.ts";

/** Throws, or rejects, if the check fails. Must not depend on being the leader. */
export type Check = () => void | Promise<void>;
export type Checks = Readonly<Record<string, Check>>;

export interface ProbesInput {
  /** A failure makes the kubelet restart the container. */
  readonly healthz: Checks;
  /** A failure takes the pod out of services. */
  readonly readyz: Checks;
  /** Receives the reason of a failed check; the response to the probe does not contain it. */
  readonly log: Logger;
}

/**
 * `/healthz` and `/readyz`: all checks, or one by its name (`/readyz/sources`). `?verbose` lists them, `?exclude=NAME`
 * skips one. Responds with 200 or 500.
 */
export function probeRoute({ healthz, readyz, log }: ProbesInput): HttpRoute {
  const probes = new Map([
    ["healthz", withPing(healthz)],
    ["readyz", withPing(readyz)],
  ]);
  const failures = new FailureLog(log);
  return async ({ pathname, searchParams }) => {
    const [, probe = "", one] = pathname.split("/");
    const checks = probes.get(probe);
    if (checks === undefined || pathname.split("/").length > 3) return undefined;
    if (one !== undefined && one !== "") {
      const check = checks.get(one);
      return (
        check &&
        answer(probe, new Map([[one, check]]), [], { failures, isVerbose: false, title: `${probe}/${one}` })
      );
    }
    const isVerbose = searchParams.has("verbose");
    return answer(probe, checks, searchParams.getAll("exclude"), { failures, isVerbose, title: probe });
  };
}

function withPing(checks: Checks): ReadonlyMap<string, Check> {
  const entries = Object.entries(checks);
  return new Map(entries.length === 0 ? [["ping", () => {}]] : entries);
}

async function answer(
  probe: string,
  checks: ReadonlyMap<string, Check>,
  excluded: readonly string[],
  { failures, isVerbose, title }: { failures: FailureLog; isVerbose: boolean; title: string },
): Promise<HttpAnswer> {
  const results = await Promise.all(
    [...checks].map(async ([name, check]) => {
      if (excluded.includes(name)) return { line: `[+]${name} excluded: ok`, isGood: true };
      try {
        await check();
        failures.passed(probe, name);
        return { line: `[+]${name} ok`, isGood: true };
      } catch (error) {
        failures.failed(probe, name, error);
        return { line: `[-]${name} failed: reason withheld`, isGood: false };
      }
    }),
  );
  const lines = results.map(({ line }) => line);
  const unknown = excluded.filter((name) => !checks.has(name));
  if (unknown.length > 0) {
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${unknown.map((name) => `"${name}"`).join(", ")}`,
    );
  }
  if (!results.every(({ isGood }) => isGood)) {
    return { status: 500, body: `${[...lines, `${title} check failed`].join("\n")}\n` };
  }
  return { status: 200, body: isVerbose ? `${[...lines, `${title} check passed`].join("\n")}\n` : "ok" };
}

/** Reports once why a check fails, and once that it passes again, because probes run every few seconds. */
class FailureLog {
  readonly #log: Logger;
  readonly #reasons = new Map<string, string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  failed(probe: string, check: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    if (this.#reasons.get(`${probe}/${check}`) === why) return;
    this.#reasons.set(`${probe}/${check}`, why);
    this.#log.warn("A health check failed", { probe, check, why });
  }

  passed(probe: string, check: string): void {
    if (this.#reasons.delete(`${probe}/${check}`))
      this.#log.info("A health check passes again", { probe, check });
  }
}
