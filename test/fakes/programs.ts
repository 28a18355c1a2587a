import type { Clock } from "../../operator/ports.ts";
import type { Rendered, RunPatience } from "../../operator/render/ports.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import {
  createPrograms,
  type ProgramLimits,
  type ProgramObservation,
  type Programs,
} from "../../operator/sandbox/program/programs.ts";
import { kernelIsolation } from "./launcher.ts";
import { MemoryFiles, type MemoryFilesOptions } from "./memory-files.ts";
import { RecordingLogger } from "./recording-logger.ts";

export interface ProgramRun extends MemoryFilesOptions {
  readonly files: Readonly<Record<string, string>>;
  readonly inputs?: unknown;
  readonly namespace?: string;
  readonly repositoryId?: string;
  readonly entry?: string;
  readonly timeoutMs?: number;
  readonly longestMs?: number;
  readonly patience?: RunPatience;
}

/** Real processes, used as by a renderer. */
export interface RealPrograms extends Programs {
  readonly log: RecordingLogger;
  render(run: ProgramRun): Promise<Rendered>;
}

export function realPrograms(
  limits: ProgramLimits = {},
  {
    observe = () => {},
    clock = systemClock(),
    keptApart = true,
  }: { observe?: (observation: ProgramObservation) => void; clock?: Clock; keptApart?: boolean } = {},
): RealPrograms {
  const log = new RecordingLogger();
  const programs = createPrograms({
    clock,
    log,
    limits,
    observe,
    isolation: { ...kernelIsolation, keptApart },
  });
  const render = (run: ProgramRun): Promise<Rendered> => {
    const { inputs, namespace = "shop", repositoryId = "r", refused = [], patience } = run;
    const { entry = "main.ts", timeoutMs = 60_000, longestMs } = run;
    const files = new MemoryFiles(run.files, { refused });
    const of = { key: `${namespace}/web`, namespace, repositoryId, tree: files.tree };
    const more = { ...(longestMs !== undefined && { longestMs }), ...(patience && { patience }) };
    return programs.run({ ...of, entry, inputs, timeoutMs, files, ...more });
  };
  return { ...programs, log, render };
}

/** One function of a program of {@link programOf}. */
export interface ProgramCase {
  readonly what: string;
  /** Code that can use `app`, `chart` and `at(value)`, which records a value. */
  readonly body: string;
}

/**
 * A program with several functions, which runs the one that its inputs name: it is bundled once, and its process stays
 * warm. Recorded values are returned as a ConfigMap.
 */
export const programOf = (cases: readonly ProgramCase[]): string => `
  import { ApiObject, App, Chart } from "cdk8s";
  type At = (value: any) => void;
  const cases: Record<string, (app: App, chart: Chart, at: At) => any> = {
    ${cases.map(({ what, body }) => `${JSON.stringify(what)}: async (app, chart, at) => { ${body} },`).join("\n")}
  };
  export default async (app: App, what: string) => {
    const chart = new Chart(app, "c");
    let seen: any;
    const result = await cases[what]!(app, chart, (value) => { seen = value; });
    if (seen !== undefined) new ApiObject(chart, "seen", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen" }, data: { seen: String(seen) } });
    return result;
  };`;
