import type { Rendered, RenderRequest, RunPatience } from "./ports.ts";

/** Renders sources. Each call renders; the renderer decides what is cached. */
export interface RenderRunner {
  /** Call it when a program will run soon. */
  warmUp(): void;
  /**
   * Renders once.
   *
   * @throws SourceError for problems of the source; other errors are temporary and retried.
   */
  run(request: RenderRequest, patience: RunPatience): Promise<Rendered>;
}
