import { createHash } from "node:crypto";
import { toCanonicalJson } from "../../../synth/digest.ts";
import { idOf, type Manifest } from "../../../synth/manifest.ts";
import { shapeOfJson } from "../../engine/json-shape.ts";
import { showMebibytes } from "../../engine/show-text.ts";
import type { Rendered } from "../../render/ports.ts";
import { TimeSlice } from "../../runtime/time-slice.ts";
import { renderLimits } from "../render-limits.ts";
import { endOfLine, nonsense, parseLine, parseObject, readLine } from "./output-lines.ts";
import { programFailure, programLimit } from "./program-failure.ts";
import { readManifest } from "./read-manifest.ts";

/** The first line of a run's output. Untrusted until it is checked. */
export type OutputHead =
  | { readonly state: "pending" }
  | { readonly state: "limit"; readonly message: string }
  | {
      readonly state: "failed";
      readonly doing: "run" | "inputs";
      readonly error: {
        readonly name: string;
        readonly message: string;
        readonly stack: string;
        readonly path: string | undefined;
      };
    }
  | { readonly state: "collected"; readonly origins: unknown; readonly edges: unknown };

export interface ReadOutputLimits {
  readonly objects: number;
  /** Maximum memory of all objects together, in bytes, as estimated. Default: no limit. */
  readonly memory?: number;
}

/** The harness (inside/outcome.ts) writes no larger line: a path for each object, and three values for each dependency. */
const headLimits = { depth: 4, keys: 20, values: renderLimits.objects + 3 * renderLimits.edges + 20 };

/**
 * Reads the first line, with the output of the program's console.
 *
 * @throws SourceError RenderFailed, RenderLimit.
 */
export async function readHead(output: Buffer): Promise<{ readonly head: OutputHead; readonly log: string }> {
  const bytes = output.subarray(0, endOfLine(output, 0));
  const line = await readLine(bytes);
  const { depth, values, keys } = shapeOfJson(bytes, { mostDepth: headLimits.depth });
  const isTooLarge = depth > headLimits.depth || values > headLimits.values || keys > headLimits.keys;
  if (isTooLarge) throw programFailure(nonsense);
  const head = await parseLine(line);
  const log = typeof head["log"] === "string" ? head["log"] : "";
  const error = (typeof head["error"] === "object" ? head["error"] : undefined) as
    | Record<string, unknown>
    | null
    | undefined;
  switch (head["state"]) {
    case "pending":
      return { head: { state: "pending" }, log };
    case "limit":
      return { head: { state: "limit", message: textOf(head["message"]) }, log };
    case "failed": {
      const [name, message, stack] = [error?.["name"], error?.["message"], error?.["stack"]].map(textOf);
      const path = typeof error?.["path"] === "string" ? error["path"] : undefined;
      const doing = head["doing"] === "inputs" ? "inputs" : "run";
      return {
        head: {
          state: "failed",
          doing,
          error: { name: name ?? "", message: message ?? "", stack: stack ?? "", path },
        },
        log,
      };
    }
    case "collected":
      return { head: { state: "collected", origins: head["origins"], edges: head["edges"] }, log };
    default:
      throw programFailure(nonsense);
  }
}

/**
 * Converts the output of a run to manifests. The output is untrusted: everything is checked.
 *
 * @throws SourceError RenderFailed, RenderLimit.
 */
export async function readObjects(
  output: Buffer,
  head: OutputHead & { readonly state: "collected" },
  { objects: mostObjects, memory: memoryLimit = Number.POSITIVE_INFINITY }: ReadOutputLimits,
): Promise<ReadObjects> {
  const origins = Array.isArray(head.origins) ? head.origins.map(textOf) : [];
  const manifests: Manifest[] = [];
  const warnings: string[] = [];
  const hash = createHash("sha256");
  let size = 0;
  const ids = new Map<string, string>();
  const slice = new TimeSlice(performance);
  let at = endOfLine(output, 0);
  while (at < output.length) {
    const end = endOfLine(output, at + 1);
    if (manifests.length >= mostObjects) throw programLimit(`it creates more than ${mostObjects} objects`);
    const origin = origins[manifests.length] ?? "";
    const bytes = output.subarray(at + 1, end);
    const line = await readLine(bytes);
    size += line.memory;
    if (size > memoryLimit) {
      throw programLimit(`its objects take more than ${showMebibytes(memoryLimit)} of memory`);
    }
    const { manifest, dropped } = readManifest(await parseObject(line, bytes, origin), origin);
    const id = idOf(manifest);
    const other = ids.get(id);
    if (other !== undefined) throw programFailure(`${origin}: "${id}" is created twice, first by ${other}`);
    ids.set(id, origin);
    manifests.push(manifest);
    if (dropped.length > 0) warnings.push(`${origin}: ${dropped.join(", ")} ignored`);
    hash.update(manifests.length === 1 ? "[" : ",").update(toCanonicalJson(manifest));
    at = end;
    if (slice.isOver) await slice.next();
  }
  if (origins.length !== manifests.length) throw programFailure(nonsense);
  return {
    manifests,
    origins,
    dependencies: readEdges(head.edges, origins),
    // As digestOf() of synth/digest.ts, without the whole text in memory.
    digest: hash
      .update(manifests.length === 0 ? "[]" : "]")
      .digest("hex")
      .slice(0, 32),
    size,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** The result, with the estimated memory of the manifests in bytes. */
type ReadObjects = Pick<Rendered, "manifests" | "origins" | "dependencies" | "digest" | "warnings"> & {
  readonly size: number;
};

/** @throws SourceError RenderFailed. */
export function readEdges(
  edges: unknown,
  origins: readonly string[],
): ReadonlyMap<number, readonly number[]> {
  const dependencies = new Map<number, number[]>();
  const isIndex = (value: unknown): value is number =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) < origins.length;
  for (const edge of Array.isArray(edges) ? (edges as unknown[]) : []) {
    const [from, to] = Array.isArray(edge) ? (edge as unknown[]) : [];
    if (!isIndex(from) || !isIndex(to)) throw programFailure(nonsense);
    const known = dependencies.get(from);
    if (known === undefined) dependencies.set(from, [to]);
    else known.push(to);
  }
  refuseCycles(dependencies, origins);
  return dependencies;
}

/**
 * Depth first, without recursion: a chain may be as long as there are objects.
 *
 * @throws SourceError RenderFailed for circular dependencies.
 */
export function refuseCycles(
  dependencies: ReadonlyMap<number, readonly number[]>,
  origins: readonly string[],
): void {
  const done = new Set<number>();
  for (const start of dependencies.keys()) {
    const path: number[] = [];
    const onPath = new Set<number>();
    const next: { index: number; leave: boolean }[] = [{ index: start, leave: false }];
    for (let step = next.pop(); step !== undefined; step = next.pop()) {
      const { index, leave } = step;
      if (leave) {
        onPath.delete(index);
        path.pop();
        done.add(index);
      } else if (onPath.has(index)) {
        const cycle = [...path.slice(path.indexOf(index)), index].map((at) => origins[at]);
        throw programFailure(`its constructs depend on each other in a cycle: ${cycle.join(" → ")}`);
      } else if (!done.has(index)) {
        onPath.add(index);
        path.push(index);
        next.push({ index, leave: true });
        for (const dependency of dependencies.get(index) ?? [])
          next.push({ index: dependency, leave: false });
      }
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
