import { OPERATOR_NAME } from "../../charts/installation.ts";
import { Pod } from "../../crds/core-kinds.ts";
import { standardLabels } from "../../crds/names.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { toOperatorError } from "../../operator/cluster/api-errors.ts";
import { objectPath, withQuery } from "../../operator/cluster/resource-path.ts";
import type { ApiTransport } from "../../operator/cluster/transport.ts";
import { formatTextLine } from "../../operator/telemetry/text-line.ts";
import type { ApiClient } from "./api-client.ts";

/** One line of an operator's log. */
export interface LogLine {
  /** RFC 3339 with nanoseconds, as the kubelet writes it. */
  readonly time: string;
  readonly pod: string;
  readonly text: string;
}

/** There is no pod whose log could be read. */
export class NoOperatorError extends Error {
  override readonly name = "NoOperatorError";
}

/** Pods of all operators, by namespace and name. @throws NoOperatorError. */
export async function findOperatorPods(client: ApiClient): Promise<readonly KubernetesObject[]> {
  const labelSelector = `${standardLabels.name}=${OPERATOR_NAME}`;
  const pods = await client.list(Pod, { labelSelector });
  if (pods.length > 0) return pods;
  throw new NoOperatorError(
    `Cannot find the operator's pods: no pod in this cluster has the label ${labelSelector}. An operator outside of the ` +
      "cluster writes its log to its standard error; fairlead start names the file",
  );
}

export interface ReadLogOptions {
  readonly transport: Pick<ApiTransport, "send">;
  /** Lines of each pod at most. */
  readonly tail: number;
  /** Only lines after this time. */
  readonly since: string | undefined;
}

/** The last lines of some pods, in the order of their times. A pod that cannot be read is an error. */
export async function readLogs(
  pods: readonly KubernetesObject[],
  { transport, tail, since }: ReadLogOptions,
): Promise<readonly LogLine[]> {
  const logs = await Promise.all(
    pods.map(async ({ metadata: { name, namespace } }) => {
      const query = {
        container: "operator",
        timestamps: "true",
        tailLines: String(tail),
        // The server compares whole seconds, so what was seen in the same second comes again.
        sinceTime: since === undefined ? undefined : `${since.slice(0, 19)}Z`,
      };
      const path = withQuery(`${objectPath(Pod, { name, namespace })}/log`, query);
      const response = await transport.send({ method: "GET", path });
      if (response.status >= 300)
        throw toOperatorError(response, {
          verb: "read",
          id: `the log of Pod ${namespace}/${name}`,
          namespace,
        });
      return linesOf(response.body, name).filter(({ time }) => since === undefined || time > since);
    }),
  );
  return logs.flat().toSorted((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
}

function linesOf(body: string, pod: string): readonly LogLine[] {
  return body.split("\n").flatMap((line) => {
    const space = line.indexOf(" ");
    return space === -1 ? [] : [{ time: line.slice(0, space), pod, text: line.slice(space + 1) }];
  });
}

export interface LogFilter {
  /** Only what is said about this Release. */
  readonly release: { readonly namespace: string; readonly name: string } | undefined;
  /** Only this level and those above. */
  readonly level: LogLevelName;
}

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevelName = (typeof logLevels)[number];

/**
 * A line for people; undefined: the filter leaves it out. What is no record of ours has no level and concerns no
 * Release: it is shown where no Release is asked for. Pure.
 */
export function formatLogLine({ text, pod }: LogLine, { release, level }: LogFilter): string | undefined {
  const record = recordIn(text);
  if (record === undefined) return release === undefined ? text : undefined;
  const { time, level: own, message, reconcileID: _, ...fields } = record;
  if (logLevels.indexOf(own) < logLevels.indexOf(level)) return undefined;
  const isAbout =
    fields["kind"] === "Release" &&
    fields["namespace"] === release?.namespace &&
    fields["name"] === release?.name;
  if (release !== undefined && !isAbout) return undefined;
  const shown = release === undefined ? { ...fields, pod } : withoutPlace(fields);
  return formatTextLine({ time, level: own, message, fields: shown }).trimEnd();
}

function withoutPlace({ kind: _, namespace: __, name: ___, controller: ____, ...rest }: Fields): Fields {
  return rest;
}

type Fields = Readonly<Record<string, unknown>>;
type LogRecord = Fields & { readonly time: string; readonly level: LogLevelName; readonly message: string };

function recordIn(text: string): LogRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<LogRecord> | null;
    const isRecord =
      typeof record?.time === "string" &&
      typeof record.message === "string" &&
      logLevels.includes(record.level as LogLevelName);
    return isRecord ? (record as LogRecord) : undefined;
  } catch {
    return undefined;
  }
}
