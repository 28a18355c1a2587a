import * as z from "zod";
import type { RenderRequest } from "../render/ports.ts";
import { wallsReport } from "./walls-report.ts";

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
  /** Most memory that its objects may take in the operator, in bytes, as estimated. */
  readonly memoryLimit: number;
  /** Undefined: the folder has manifests. */
  readonly program?: {
    readonly entry: string;
    readonly timeoutMs: number;
    /** Longest run, whatever the resource asks for. */
    readonly longestMs: number;
    readonly isSlow: boolean;
    /** Do not run it where the kernel does not keep programs apart. */
    readonly requireWalls: boolean;
  };
}

/** Bounds of a rendered source. The zone refuses what is beyond them; the operator disconnects a zone that does not. */
export const renderLimits = {
  objects: 10_000,
  /** Canonical JSON of one object. The API server takes no larger one. */
  objectBytes: 1.5 * 2 ** 20,
  /** Canonical JSON of all objects. */
  bytes: 64 * 2 ** 20,
  /** Lists and objects within each other. */
  depth: 200,
  /** Values of one object, so that it is parsed in a few milliseconds. */
  values: 250_000,
  /** Keys of all its maps. A key that occurs once takes as long to parse as ten values. */
  keys: 50_000,
  originCharacters: 1_000,
  /** Dependencies between objects, and bytes of one item with some of them. */
  edges: 100_000,
  edgeBytes: 65_536,
  /** JSON of paths and warnings, and values in it. */
  detailBytes: 2 ** 20,
  detailValues: 2_100,
} as const;

/** Part of a list of files: an item of the answer to `list`. Files are counted through all items. */
export interface FileListItem {
  readonly files: readonly (readonly [path: string, size: number])[];
  readonly refused: readonly (readonly [path: string, what: "symlink" | "submodule"])[];
}

/** Bounds of one request `read`. */
export const readLimits = { files: 250, bytes: 4 * 2 ** 20 } as const;

/** Body of the request `list`: the id of the request `render` whose files they are. */
export const listBody = z.strictObject({ render: z.int() });
/** Body of the request `read`: indexes of files in the list. */
export const readBody = z.strictObject({
  render: z.int(),
  files: z.array(z.int().min(0)).min(1).max(readLimits.files),
});

/**
 * Body of an item of the answer to `render`: an object, whose JSON is the part; after all objects, dependencies between them, whose
 * part has pairs of indexes as 32-bit integers (the first object needs the second one to be healthy); or the news that a program takes long, or that its
 * process started to work for it or has ended its work.
 */
export const renderItem = z.union([
  z.strictObject({ origin: z.string().max(renderLimits.originCharacters) }),
  z.strictObject({ edges: z.literal(true) }),
  z.strictObject({ slow: z.literal(true) }),
  z.strictObject({ running: z.boolean() }),
]);

const digest = z.string().regex(/^[0-9a-f]{32}$/);
const durationMs = z.number().min(0);

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
  .regex(/^(?!\/)(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\p{Cc}]+$/u);

export const renderDetails = z.strictObject({
  readPaths: z.array(path).max(2_000).optional(),
  warnings: z.array(z.string().max(2_000)).max(20),
});
export type RenderDetails = z.output<typeof renderDetails>;

/** Body of the answer to `walls`: walls of the kernel around the process, and around programs that it runs. */
export const wallsAnswer = z.strictObject({ own: wallsReport, programs: wallsReport.optional() });
export type WallsAnswer = z.output<typeof wallsAnswer>;

/** Body of an error answer to `render`. Other reasons are not the zone's to give. */
export const renderError = z.strictObject({
  reason: z.enum(["RenderFailed", "RenderLimit", "RenderNotReproducible"]).optional(),
  message: z.string().max(4_000),
});
