import { OPERATOR_NAME } from "../../charts/installation.ts";
import { Pod } from "../../crds/core-kinds.ts";
import { standardLabels } from "../../crds/names.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { ApiUnavailableError } from "../../operator/errors.ts";
import { formatTextLine } from "../../operator/telemetry/text-line.ts";
import type { ApiClient } from "./api-client.ts";

/** One line of an operator's log. */
export interface LogLine {
  /** RFC 3339 with nanoseconds, as the kubelet writes it. */
  readonly time: string;
  readonly pod: string;
  readonly text: string;
}

/** No pod's log could be read. */
export class NoOperatorError extends Error {
  override readonly name = "NoOperatorError";
}

/** Pods of all operators, by namespace and name. @throws NoOperatorError. */
export async function findOperatorPods(client: ApiClient): Promise<readonly KubernetesObject[]> {
  const pods = await client.list(Pod, { labelSelector }).catch((error: unknown) => {
    throw isForbidden(error) ? new NoOperatorError(`${error.message}. ${neededRight}`) : error;
  });
  if (pods.length > 0) return pods;
  throw new NoOperatorError(
    `Cannot find the operator's pods: no pod in this cluster has the label ${labelSelector}. An operator outside of the ` +
      "cluster writes its log to its standard error; fairlead start names the file",
  );
}

const labelSelector = `${standardLabels.name}=${OPERATOR_NAME}`;
const neededRight =
  "Finding the operator's pods needs the right to list pods in all namespaces, from a ClusterRole and a " +
  "ClusterRoleBinding. With rights only in the operator's namespace: kubectl logs --namespace=NAMESPACE " +
  `--selector=${labelSelector} --container=operator`;

function isForbidden(error: unknown): error is ApiUnavailableError {
  return error instanceof ApiUnavailableError && error.status === 403;
}

export interface LogFilter {
  /** Selects only lines about this Release. */
  readonly release: { readonly namespace: string; readonly name: string } | undefined;
  /** Lowest level to show. */
  readonly level: LogLevelName;
}

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevelName = (typeof logLevels)[number];

/**
 * A line as text; undefined: the filter excludes it. A line that is not a log record of the operator has no level and
 * belongs to no Release: it is shown only without a Release in the filter. Pure.
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
