import type { Logger } from "../ports.ts";
import type { HttpAnswer, HttpRoute } from "./http-server.ts";

/** Throws, or rejects, when all is not well. Must never depend on being the leader. */
export type Check = () => void | Promise<void>;
export type Checks = Readonly<Record<string, Check>>;

export interface ProbesInput {
  /** A failure makes the kubelet restart the container. */
  readonly healthz: Checks;
  /** A failure takes the pod out of services. */
  readonly readyz: Checks;
  /** Why a check failed goes here: those who ask are not told. */
  readonly log: Logger;
}

/**
 * `/healthz` and `/readyz`: all checks together, or one by its name (`/readyz/stores`). `?verbose` lists them,
 * `?exclude=NAME` leaves one out. 200 or 500.
 */
export function probeRoute({ healthz, readyz, log }: ProbesInput): HttpRoute {
  const probes = new Map([
    ["healthz", withPing(healthz)],
    ["readyz", withPing(readyz)],
  ]);
  return async ({ pathname, searchParams }) => {
    const [, probe = "", one] = pathname.split("/");
    const checks = probes.get(probe);
    if (checks === undefined || pathname.split("/").length > 3) return undefined;
    if (one !== undefined && one !== "") {
      const check = checks.get(one);
      return check && answer(`${probe}/${one}`, new Map([[one, check]]), [], { log, isVerbose: false });
    }
    const isVerbose = searchParams.has("verbose");
    return answer(probe, checks, searchParams.getAll("exclude"), { log, isVerbose });
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
  { log, isVerbose }: { log: Logger; isVerbose: boolean },
): Promise<HttpAnswer> {
  const results = await Promise.all(
    [...checks].map(async ([name, check]) => {
      if (excluded.includes(name)) return { line: `[+]${name} excluded: ok`, isGood: true };
      try {
        await check();
        return { line: `[+]${name} ok`, isGood: true };
      } catch (error) {
        log.warn("A health check failed", { probe, check: name, error });
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
    return { status: 500, body: `${[...lines, `${probe} check failed`].join("\n")}\n` };
  }
  return { status: 200, body: isVerbose ? `${[...lines, `${probe} check passed`].join("\n")}\n` : "ok" };
}
