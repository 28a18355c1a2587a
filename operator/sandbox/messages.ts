import * as z from "zod";
import type { RenderRequest } from "../render/ports.ts";
import { isolationReport } from "./isolation-report.ts";
import { renderLimits } from "./render-limits.ts";

// Messages between the operator and the sandbox zone. Those of the zone are untrusted.

/** Names of the processes of the zone: each has a socket of this name. */
export const sandboxServices = ["reader", "programs"] as const;
export type SandboxService = (typeof sandboxServices)[number];

/** The process that renders a source. */
export function serviceFor({ program }: RenderRequest["render"]): SandboxService {
  return program === undefined ? "reader" : "programs";
}

/** Body of the request `render`. For a program, its inputs follow as JSON. */
export interface RenderCall {
  /** Key of the resource, for messages. */
  readonly key: string;
  readonly namespace: string;
  readonly repositoryId: string;
  readonly tree: string;
  /** Maximum memory that its objects may take in the operator, in bytes, as estimated. */
  readonly memoryLimit: number;
  /** Undefined: the folder contains manifests. */
  readonly program?: {
    readonly entry: string;
    readonly timeoutMs: number;
    /** Maximum duration of a run, overriding the resource's own timeout. */
    readonly longestMs: number;
    readonly isSlow: boolean;
    /** Whether to refuse the run if the kernel does not isolate programs. */
    readonly requireIsolation: boolean;
  };
}

/** A part of a list of files: an item of the answer to `list`. The index of a file counts through all items. */
export interface FileListItem {
  readonly files: readonly (readonly [path: string, size: number])[];
  readonly refused: readonly (readonly [path: string, what: "symlink" | "submodule"])[];
}

/** Limits for one request `read`. */
export const readLimits = { files: 250, bytes: 4 * 2 ** 20 } as const;

/** Body of the request `list`: the id of the request `render` to which the files belong. */
export const listBody = z.strictObject({ render: z.int() });
/** Body of the request `read`: indexes of files in the list. */
export const readBody = z.strictObject({
  render: z.int(),
  files: z.array(z.int().min(0)).min(1).max(readLimits.files),
});

const durationMs = z.number().min(0);

/**
 * Body of an item of the answer to `render`: an object, whose JSON is the part; after all objects, dependencies between
 * them, whose part has pairs of indexes as 32-bit integers (the first object needs the second one to be healthy); or a
 * notification that a program takes long, that its process has started or finished the work for it, or how long the reader
 * of a folder, or a bundler that failed, worked.
 */
export const renderItem = z.union([
  z.strictObject({ origin: z.string().max(renderLimits.originCharacters) }),
  z.strictObject({ edges: z.literal(true) }),
  z.strictObject({ slow: z.literal(true) }),
  z.strictObject({ running: z.boolean() }),
  z.strictObject({ workedMs: durationMs }),
]);

const digest = z.string().regex(/^[0-9a-f]{32}$/);

/** Body of the answer to `render`. Its part is {@link renderDetails}. */
export const renderAnswer = z.strictObject({
  programDigest: digest.optional(),
  inputsDigest: digest.optional(),
  /** Bundles and runs since the last answer, for metrics. */
  did: z
    .array(
      z.union([
        z.strictObject({ did: z.literal("bundle"), durationMs }),
        z.strictObject({ did: z.literal("run"), warm: z.boolean(), durationMs }),
      ]),
    )
    .max(50),
  /** Output of the program's `console`. */
  printed: z.string().max(4_000),
});
export type RenderAnswer = z.output<typeof renderAnswer>;

const path = z
  .string()
  .max(4_096)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\p{Cc}]+$/su);

export const renderDetails = z.strictObject({
  readPaths: z.array(path).max(2_000).optional(),
  warnings: z.array(z.string().max(2_000)).max(20),
});
export type RenderDetails = z.output<typeof renderDetails>;

/** Body of the answer to `isolation`: kernel isolation of the process, and of the programs that it runs. */
export const isolationAnswer = z.strictObject({ own: isolationReport, programs: isolationReport.optional() });
export type IsolationAnswer = z.output<typeof isolationAnswer>;

/** Body of an error answer to `render`. The zone may not give other reasons. */
export const renderError = z.strictObject({
  reason: z.enum(["RenderFailed", "RenderLimit", "RenderNotReproducible"]).optional(),
  message: z.string().max(4_000),
});
