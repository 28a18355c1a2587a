import { hash } from "node:crypto";
import { toMilliseconds } from "../../../crds/duration.ts";
import type { ReleaseSpec } from "../../../crds/release.ts";
import { toCanonicalJson } from "../../../synth/digest.ts";
import { ReleaseError } from "../errors.ts";
import type { Rendered, RenderRequest, RunPatience, SourceFiles } from "../ports.ts";
import { type RenderManifestsOptions, renderManifests } from "./render-manifests.ts";
import type { Turns } from "./turns.ts";

const LONGEST_ID = 500;

/** One run of a program; `key` names a Release that asked for it, for logs. */
export interface ProgramRequest {
  readonly key: string;
  readonly namespace: string;
  readonly repositoryId: string;
  readonly tree: string;
  readonly entry: string;
  readonly inputs: unknown;
  readonly timeoutMs: number;
  readonly files: SourceFiles;
  /** Default: wait to the end. */
  readonly patience?: RunPatience;
}

/** What runs programs, each in a process of its own. */
export interface ProgramRunner {
  /** @throws {ReleaseError} */
  run(request: ProgramRequest): Promise<Rendered>;
}

/** Names what a render depends on: requests with equal names have equal results. */
export function renderIdOf({ namespace, render, revision }: RenderRequest): string {
  const text = toCanonicalJson([namespace, revision.repositoryId, revision.tree, render]);
  // Inputs may be a megabyte.
  return text.length <= LONGEST_ID ? text : hash("sha256", text, "hex");
}

export interface RunRenderOptions {
  readonly turns: Turns;
  readonly programs: ProgramRunner;
  readonly patience?: RunPatience;
  /** Limits of folders. Default: none but the fixed ones. */
  readonly folders?: RenderManifestsOptions;
}

/**
 * Renders once, whatever was rendered before.
 *
 * @throws {ReleaseError}
 */
export function runRender(
  { key, namespace, render, revision }: RenderRequest,
  { turns, programs, patience, folders }: RunRenderOptions,
): Promise<Rendered> {
  if (render.manifests !== undefined) return renderManifests(revision.files, turns.begin(), folders);
  if (render.program === undefined) throw noWay(render);
  const { entry, inputs, timeout } = render.program;
  return programs.run({
    key,
    namespace,
    repositoryId: revision.repositoryId,
    tree: revision.tree,
    entry,
    inputs,
    timeoutMs: toMilliseconds(timeout),
    files: revision.files,
    ...(patience && { patience }),
  });
}

function noWay(render: ReleaseSpec["render"]): ReleaseError {
  const found = Object.keys(render).join(", ") || "nothing";
  return new ReleaseError("RenderFailed", `spec.render: expected manifests or program, found ${found}`);
}
