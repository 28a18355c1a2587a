import { digestOf, toCanonicalJson } from "../../../synth/digest.ts";
import type { SourceFiles } from "../../git/source/ports.ts";
import type { Clock, Logger } from "../../ports.ts";
import type { Rendered, RunPatience } from "../../render/ports.ts";
import { describeMissingWalls, type KernelWalls } from "../kernel-walls.ts";
import { type Bundle, bundleProgram, openProgramFolder } from "./bundle.ts";
import { BundleCache } from "./bundle-cache.ts";
import { explainDifference } from "./compare-runs.ts";
import { createEsbuild } from "./esbuild-service.ts";
import { explainError } from "./explain-error.ts";
import { type LoadedLibraries, loadLibraries } from "./libraries.ts";
import { programFailure, programLimit } from "./program-failure.ts";
import { ProgramMemory } from "./program-memory.ts";
import { readHead, readObjects } from "./read-output.ts";
import { SandboxPool } from "./sandbox-pool.ts";

/** One program with its inputs. */
export interface ProgramRequest {
  /** Key of the resource, for logs. */
  readonly key: string;
  /** The tenant: no bundle and no process of one namespace is used for another. */
  readonly namespace: string;
  /** Opaque id of the repository's URL and credentials. */
  readonly repositoryId: string;
  /** Git tree id of `files`: equal ids of one repository, equal files. */
  readonly tree: string;
  /** Path of the program's file below the folder. */
  readonly entry: string;
  /** Any JSON; undefined: none. */
  readonly inputs: unknown;
  /** Longest run that the resource asks for. */
  readonly timeoutMs: number;
  /** The platform's limit: longest run, whatever the resource asks for. Default: 5 minutes. */
  readonly longestMs?: number;
  /** Most memory that the objects may take in the operator, in bytes, as estimated. Default: no limit. */
  readonly objectMemory?: number;
  /** Refuse to run the program where the kernel does not keep programs apart. Default: false. */
  readonly requireWalls?: boolean;
  readonly files: SourceFiles;
  /** Default: wait to the end. */
  readonly patience?: RunPatience;
}

/** Runs programs of resources. */
export interface Programs {
  /** There will be a program to run in a moment: what all of them need is loaded meanwhile. */
  warmUp(): void;
  /**
   * Bundles and runs a program, and reads what it made. The bundle is kept; the result is not.
   *
   * @throws SourceError RenderFailed, RenderLimit, RenderNotReproducible; and what reading the files throws.
   */
  run(request: ProgramRequest): Promise<Rendered>;
  close(): Promise<void>;
}

export interface ProgramLimits {
  /** Resident memory of one process. Default: 256. */
  readonly memoryMiB?: number;
  /** All processes of programs and of the bundler together, without what they share. Default: 1,024. */
  readonly totalMiB?: number;
  /** JSON of all objects. Default: 16 MiB. */
  readonly outputBytes?: number;
  /** Default: 10,000. */
  readonly objects?: number;
}

/** What was done, for metrics. */
export type ProgramObservation =
  | { readonly did: "bundle"; readonly durationMs: number }
  /**
   * One whole run(), which gave objects, without the time that it waited for its turn. `warm`: the program had been run
   * before, and its process was there.
   */
  | { readonly did: "run"; readonly warm: boolean; readonly durationMs: number };

export interface ProgramsOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: ProgramLimits;
  /** Walls of the kernel around each process. Where they do not keep processes apart, one namespace has any at a time. */
  readonly walls: KernelWalls;
  /** A process that was not used for this long ends. Default: 60 s. */
  readonly idleMs?: number;
  readonly observe?: (observation: ProgramObservation) => void;
  /** Has a process get of the processor what others leave. Default: this process does that itself. */
  readonly lowerPriority?: ((pid: number) => void) | undefined;
}

/** Most resident memory of the bundler. */
const BUNDLER_MIB = 384;
const LONGEST_MS = 300_000;

/** Nothing is started, and nothing loaded, before the first program is run. */
export function createPrograms(options: ProgramsOptions): Programs {
  const { clock, log, walls, idleMs = 60_000, observe = () => {} } = options;
  const { totalMiB = 1_024, outputBytes = 16 * 2 ** 20, objects = 10_000 } = options.limits ?? {};
  const memory = new ProgramMemory({ clock, budgetMiB: totalMiB });
  const memoryMiB = memory.limitOf(options.limits?.memoryMiB ?? 256);
  const bundlerMiB = memory.limitOf(BUNDLER_MIB);
  const esbuild = createEsbuild({ clock, memoryMiB: bundlerMiB });
  const bundles = new BundleCache();
  let loading: Promise<LoadedLibraries> | undefined;
  const libraries = (): Promise<LoadedLibraries> => {
    loading ??= loadLibraries(esbuild);
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  const pool = new SandboxPool({
    clock,
    libraries,
    walls,
    memory,
    idleMs,
    limits: { memoryMiB, outputBytes },
    lowerPriority: options.lowerPriority,
  });
  const missingWalls = describeMissingWalls(walls);

  const makeBundle = async (request: ProgramRequest): Promise<Bundle> => {
    const beganMs = clock.now();
    // A new bundle takes a new process.
    pool.warmUp();
    const { namespace, entry, files } = request;
    const job = { namespace, key: `bundle ${bundleKeyOf(request)}`, mostMiB: bundlerMiB };
    const folder = await openProgramFolder(files);
    const bundle = await memory.run(job, ({ isShare, limitMiB }) =>
      bundleProgram(entry, folder, { esbuild, shareMiB: isShare ? limitMiB : undefined }),
    );
    observe({ did: "bundle", durationMs: clock.now() - beganMs });
    return bundle;
  };

  async function run(request: ProgramRequest): Promise<Rendered> {
    if (missingWalls !== undefined && request.requireWalls === true)
      throw programFailure(`${missingWalls}, and this operator requires them`);
    const { key, namespace, entry, inputs, timeoutMs, longestMs = LONGEST_MS, patience } = request;
    const beganMs = clock.now();
    const bundle = await bundles.of(bundleKeyOf(request), () => makeBundle(request));
    const programDigest = digestOf(`${bundle.digest}\n${(await libraries()).digest}`);
    const inputsDigest = digestOf(toCanonicalJson(inputs ?? null));
    const seed = digestOf(`${programDigest}\n${inputsDigest}`);
    const text = JSON.stringify({ entry, seed, inputs, objects, characters: outputBytes });
    const run = { namespace, bundle, request: text, timeoutMs, longestMs };
    const { texts, warm, queuedMs } = await pool.run({ ...run, ...(patience && { patience }) });
    const [first = ""] = texts;
    if (texts.length > 1) throw await explainDifference(texts);
    const memory = request.objectMemory ?? Number.POSITIVE_INFINITY;
    const rendered = await readResult(first, bundle, memory, (printed) =>
      log.debug("A program printed", { release: key, text: printed }),
    );
    observe({ did: "run", warm, durationMs: clock.now() - beganMs - queuedMs });
    return { ...rendered, programDigest, inputsDigest, readPaths: bundle.readPaths };
  }

  async function readResult(
    text: string,
    bundle: Bundle,
    memory: number,
    onPrinted: (text: string) => void,
  ): ReturnType<typeof readObjects> {
    const { head, log: printed } = await readHead(text);
    if (printed !== "") onPrinted(printed);
    if (head.state !== "collected") throw explainEnd(head, bundle);
    return readObjects(text, head, { objects, memory });
  }

  async function close(): Promise<void> {
    esbuild.close();
    await pool.close();
  }

  return { warmUp: () => pool.warmUp(), run, close };
}

function bundleKeyOf({ namespace, repositoryId, tree, entry }: ProgramRequest): string {
  return JSON.stringify([namespace, repositoryId, tree, entry]);
}

type EndedHead = Exclude<Awaited<ReturnType<typeof readHead>>["head"], { readonly state: "collected" }>;

function explainEnd(head: EndedHead, bundle: Bundle): Error {
  switch (head.state) {
    case "failed":
      return explainError(head, bundle);
    case "limit":
      return programLimit(head.message);
    case "pending":
      return programFailure(
        "the promise of its default export never settles: a program has nothing to wait for",
      );
  }
}
