import type { Rendered, RenderRequest, RunPatience } from "./ports.ts";

/** Where sources are rendered. Each call renders; what is remembered is the renderer's to decide. */
export interface RenderRunner {
  /** There will be a program to run in a moment. */
  warmUp(): void;
  /**
   * Renders once.
   *
   * @throws SourceError for what is wrong with the source; anything else passes by itself, and is tried again.
   */
  run(request: RenderRequest, patience: RunPatience): Promise<Rendered>;
}
