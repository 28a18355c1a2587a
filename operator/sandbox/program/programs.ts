import { digestOf, toCanonicalJson } from "../../../synth/digest.ts";
import type { SourceFiles } from "../../git/source/ports.ts";
import type { Clock, Logger } from "../../ports.ts";
import type { Rendered, RunPatience } from "../../render/ports.ts";
import { describeMissingIsolation, type KernelIsolation } from "../kernel-isolation.ts";
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
  /** The tenant: bundles and processes are never shared between namespaces. */
  readonly namespace: string;
  /** Opaque id of the repository's URL and credentials. */
  readonly repositoryId: string;
  /** Git tree id of `files`: equal ids of one repository, equal files. */
  readonly tree: string;
  /** Path of the program's file below the folder. */
  readonly entry: string;
  /** Any JSON; undefined: none. */
  readonly inputs: unknown;
  /** Timeout that the resource requests. */
  readonly timeoutMs: number;
  /** The platform's limit: maximum duration of a run. Default: 5 minutes. */
  readonly longestMs?: number;
  /** Maximum memory that the objects may take in the operator, in bytes, as estimated. Default: no limit. */
  readonly objectMemory?: number;
  /** Whether to refuse the run if the kernel does not isolate programs. Default: false. */
  readonly requireIsolation?: boolean;
  readonly files: SourceFiles;
  /** Default: wait until the run ends. */
  readonly patience?: RunPatience;
}

/** Runs programs of resources. */
export interface Programs {
  /** Call it when a run is expected soon: it loads what all programs need. */
  warmUp(): void;
  /**
   * Bundles and runs a program, and reads its output. The bundle is cached; the result is not.
   *
   * @throws SourceError RenderFailed, RenderLimit, RenderNotReproducible; and errors of reading the files.
   */
  run(request: ProgramRequest): Promise<Rendered>;
  close(): Promise<void>;
}

export interface ProgramLimits {
  /** Resident memory of one process, in MiB. Default: 256. */
  readonly memoryMiB?: number;
  /** Memory of all processes of programs and of the bundler together, without shared pages, in MiB. Default: 1,024. */
  readonly totalMiB?: number;
  /** Bytes of JSON of all objects. Default: 16 MiB. */
  readonly outputBytes?: number;
  /** Number of objects. Default: 10,000. */
  readonly objects?: number;
}

/** Callbacks for metrics. */
export type ProgramObservation =
  | { readonly did: "bundle"; readonly durationMs: number }
  /**
   * Called after a successful run(), with its duration without the time in the queue. `warm`: the process had run the
   * program before.
   */
  | { readonly did: "run"; readonly warm: boolean; readonly durationMs: number };

export interface ProgramsOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: ProgramLimits;
  /** Kernel isolation of each process. If it does not isolate processes, only one namespace has processes at a time. */
  readonly isolation: KernelIsolation;
  /** A process that was not used for this time ends. Default: 60 s. */
  readonly idleMs?: number;
  readonly observe?: (observation: ProgramObservation) => void;
  /** Lowers the CPU priority of a process. Default: this process does it itself. */
  readonly lowerPriority?: ((pid: number) => void) | undefined;
}

/** Maximum resident memory of the bundler. */
const BUNDLER_MIB = 384;
const LONGEST_MS = 300_000;

/** Runs programs. No process is started, and no library loaded, before the first program is run. */
export function createPrograms(options: ProgramsOptions): Programs {
  const { clock, log, isolation, idleMs = 60_000, observe = () => {} } = options;
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
    isolation,
    memory,
    idleMs,
    limits: { memoryMiB, outputBytes },
    lowerPriority: options.lowerPriority,
  });
  const missingIsolation = describeMissingIsolation(isolation);

  const makeBundle = async (request: ProgramRequest): Promise<Bundle> => {
    const beganMs = clock.now();
    // A new bundle requires a new process.
    pool.warmUp();
    const { namespace, entry, files, patience } = request;
    const job = { namespace, key: `bundle ${bundleKeyOf(request)}`, mostMiB: bundlerMiB };
    const folder = await openProgramFolder(files);
    const bundle = await memory.run(job, async ({ isShare, limitMiB }) => {
      const sinceMs = clock.now();
      try {
        return await bundleProgram(entry, folder, { esbuild, shareMiB: isShare ? limitMiB : undefined });
      } catch (error) {
        patience?.onWorked?.(clock.now() - sinceMs);
        throw error;
      }
    });
    observe({ did: "bundle", durationMs: clock.now() - beganMs });
    return bundle;
  };

  async function run(request: ProgramRequest): Promise<Rendered> {
    if (missingIsolation !== undefined && request.requireIsolation === true)
      throw programFailure(`${missingIsolation}, and this operator requires isolation`);
    const { key, namespace, entry, inputs, timeoutMs, longestMs = LONGEST_MS, patience } = request;
    const beganMs = clock.now();
    const bundle = await bundles.of(bundleKeyOf(request), () => makeBundle(request));
    const programDigest = digestOf(`${bundle.digest}\n${(await libraries()).digest}`);
    const inputsDigest = digestOf(toCanonicalJson(inputs ?? null));
    const seed = digestOf(`${programDigest}\n${inputsDigest}`);
    const text = JSON.stringify({ entry, seed, inputs, objects, characters: outputBytes });
    const run = { namespace, bundle, request: text, timeoutMs, longestMs };
    const { outputs, warm, queuedMs } = await pool.run({ ...run, ...(patience && { patience }) });
    const [first = Buffer.alloc(0)] = outputs;
    if (outputs.length > 1) throw await explainDifference(outputs);
    const memory = request.objectMemory ?? Number.POSITIVE_INFINITY;
    const rendered = await readResult(first, bundle, memory, (printed) =>
      log.debug("A program printed", { release: key, text: printed }),
    );
    observe({ did: "run", warm, durationMs: clock.now() - beganMs - queuedMs });
    return { ...rendered, programDigest, inputsDigest, readPaths: bundle.readPaths };
  }

  async function readResult(
    output: Buffer,
    bundle: Bundle,
    memory: number,
    onPrinted: (text: string) => void,
  ): ReturnType<typeof readObjects> {
    const { head, log: printed } = await readHead(output);
    if (printed !== "") onPrinted(printed);
    if (head.state !== "collected") throw explainEnd(head, bundle);
    return readObjects(output, head, { objects, memory });
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
