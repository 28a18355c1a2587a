import type { Rendered } from "../../operator/release/ports.ts";
import {
  createPrograms,
  type ProgramLimits,
  type Programs,
} from "../../operator/release/program/programs.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { MemoryFiles, type MemoryFilesOptions } from "./memory-files.ts";
import { RecordingLogger } from "./recording-logger.ts";

export interface ProgramRun extends MemoryFilesOptions {
  readonly files: Readonly<Record<string, string>>;
  readonly inputs?: unknown;
  readonly tenant?: string;
  readonly entry?: string;
  readonly timeoutMs?: number;
}

/** Real processes, asked as a renderer asks. */
export interface RealPrograms extends Programs {
  readonly log: RecordingLogger;
  render(run: ProgramRun): Promise<Rendered>;
}

export function realPrograms(limits: ProgramLimits = {}): RealPrograms {
  const log = new RecordingLogger();
  const programs = createPrograms({ clock: systemClock(), log, limits });
  const render = (run: ProgramRun): Promise<Rendered> => {
    const { inputs, tenant = "tenant", entry = "main.ts", timeoutMs = 60_000, refused = [] } = run;
    const files = new MemoryFiles(run.files, { refused });
    return programs.run({ key: "shop/web", tenant, tree: files.tree, entry, inputs, timeoutMs, files });
  };
  return { ...programs, log, render };
}
