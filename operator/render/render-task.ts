import { hash } from "node:crypto";
import type { RenderSpec } from "../../crds/render.ts";
import { toCanonicalJson } from "../../synth/digest.ts";
import { SourceError } from "../errors.ts";
import type { SourceFiles } from "../git/source/ports.ts";
import type { Rendered, RenderRequest, RunPatience } from "./ports.ts";

const LONGEST_ID = 500;

/** One run of a program; `key` is a resource that requested it, for logs. */
export interface ProgramRequest {
  readonly key: string;
  readonly namespace: string;
  readonly repositoryId: string;
  readonly tree: string;
  readonly entry: string;
  readonly inputs: unknown;
  readonly timeoutMs: number;
  readonly files: SourceFiles;
  /** Default: wait until the run ends. */
  readonly patience?: RunPatience;
}

/** Runs programs, each in a separate process. */
export interface ProgramRunner {
  /** @throws {SourceError} */
  run(request: ProgramRequest): Promise<Rendered>;
}

/** Key of everything that a render depends on: requests with equal keys have equal results. */
export function renderIdOf({ namespace, render, revision }: RenderRequest): string {
  const text = toCanonicalJson([namespace, revision.repositoryId, revision.tree, render]);
  // Inputs may be a megabyte.
  return text.length <= LONGEST_ID ? text : hash("sha256", text, "hex");
}

/**
 * Checks that this operator supports the render options of a resource. The schema checks that too; without this check, a
 * spec of a newer version would be rendered as a folder of manifests.
 *
 * @throws SourceError RenderFailed
 */
export function checkWay(render: RenderSpec): void {
  if (render.manifests !== undefined || render.program !== undefined) return;
  const found = Object.keys(render).join(", ") || "nothing";
  throw new SourceError("RenderFailed", `spec.render: expected manifests or program, found ${found}`);
}
