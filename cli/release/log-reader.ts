import { Pod } from "../../crds/core-kinds.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { toOperatorError } from "../../operator/cluster/api-errors.ts";
import { objectPath, withQuery } from "../../operator/cluster/resource-path.ts";
import type { ApiTransport } from "../../operator/cluster/transport.ts";
import { type LogLine, NoOperatorError } from "./operator-log.ts";

export interface LogReaderInput {
  readonly transport: Pick<ApiTransport, "send">;
  /** Maximum number of lines of each pod for the first read. */
  readonly tail: number;
}

/** The result of one read of the logs. */
export interface LogPart {
  /** In the order of their times. */
  readonly lines: readonly LogLine[];
  /** Why pods could not be read, unless an earlier read reported it. */
  readonly failures: readonly string[];
}

const beginningOfTime = "1970-01-01T00:00:00Z";

/** Reads the logs of some pods, and later the lines since the last read. */
export class LogReader {
  readonly #input: LogReaderInput;
  /** The time of the last read line, by pod. */
  readonly #seen = new Map<string, string>();
  /** The error of the last attempt, by pod. */
  readonly #failures = new Map<string, string>();

  constructor(input: LogReaderInput) {
    this.#input = input;
  }

  /** @throws NoOperatorError if no pod could ever be read. */
  async read(pods: readonly KubernetesObject[]): Promise<LogPart> {
    const logs = await Promise.all(pods.map((pod) => this.#readPod(pod)));
    const lines = logs.flatMap((log) => (typeof log === "string" ? [] : log));
    const failures = logs.filter((log) => typeof log === "string");
    if (this.#seen.size === 0) throw new NoOperatorError([...this.#failures.values()].join("\n"));
    return { lines: lines.toSorted((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time))), failures };
  }

  /** Its new lines; or the error, unless it was reported before. */
  async #readPod(pod: KubernetesObject): Promise<readonly LogLine[] | string> {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const since = this.#seen.get(key);
    try {
      const lines = (await this.#ask(pod, since)).filter(({ time }) => since === undefined || time > since);
      const last = lines.findLast(({ time }) => time !== "");
      this.#seen.set(key, last?.time ?? since ?? beginningOfTime);
      this.#failures.delete(key);
      return lines;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const isKnown = this.#failures.get(key) === why;
      this.#failures.set(key, why);
      return isKnown ? [] : why;
    }
  }

  async #ask(
    { metadata: { name, namespace } }: KubernetesObject,
    since: string | undefined,
  ): Promise<readonly LogLine[]> {
    const { transport, tail } = this.#input;
    // With both options, the server would omit new lines beyond the limit.
    const part = since === undefined ? { tailLines: String(tail) } : { sinceTime: toSeconds(since) };
    const query = { container: "operator", timestamps: "true", ...part };
    const path = withQuery(`${objectPath(Pod, { name, namespace })}/log`, query);
    const response = await transport.send({ method: "GET", path });
    if (response.status < 300) return linesOf(response.body, name);
    throw toOperatorError(response, { verb: "read", id: `the log of Pod ${namespace}/${name}`, namespace });
  }
}

// The server compares whole seconds, so lines of the same second are returned again.
function toSeconds(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/**
 * A line without a time is a message of the kubelet, for example that a log was deleted; it is shown once, before the
 * others.
 */
function linesOf(body: string, pod: string): readonly LogLine[] {
  return body.split("\n").flatMap((line) => {
    if (line === "") return [];
    const [, time = "", text = line] = /^(\d{4}-\d\d-\d\dT\S+) (.*)$/s.exec(line) ?? [];
    return [{ time, pod, text }];
  });
}
