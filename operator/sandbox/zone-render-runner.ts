import { toMilliseconds } from "../../crds/duration.ts";
import { SourceError } from "../errors.ts";
import type { Clock, Logger, Random } from "../ports.ts";
import type { Rendered, RenderRequest, RunPatience } from "../render/ports.ts";
import type { RenderRunner } from "../render/render-runner.ts";
import { FairSemaphore } from "../runtime/fair-semaphore.ts";
import { ZoneAnswerError } from "../zones/errors.ts";
import { MOST_REQUESTS, type Serve } from "../zones/incoming-requests.ts";
import type { Link } from "../zones/link.ts";
import { ZoneClient } from "../zones/zone-client.ts";
import { askIsolation, type OnIsolation } from "./ask-isolation.ts";
import {
  type RenderAnswer,
  type RenderCall,
  renderError,
  type SandboxService,
  serviceFor,
} from "./messages.ts";
import { toMessage } from "./program/program-failure.ts";
import type { ProgramObservation } from "./program/programs.ts";
import { RenderedReader } from "./rendered-reader.ts";
import { FileServer } from "./serve-files.ts";
import { Suspects } from "./suspects.ts";
import { socketOf } from "./worker-command.ts";

export interface ZoneRenderRunnerOptions {
  /** Folder of the zone's sockets. */
  readonly folder: string;
  /** Maximum duration of a run of a program, overriding the resource's own timeout. */
  readonly longestProgramMs: number;
  /** Whether to refuse to run programs if the kernel does not isolate them. */
  readonly requireIsolation: boolean;
  /** Maximum memory that the objects of one source may take in the operator, in bytes, as estimated. */
  readonly memoryLimit: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly observe?: (observation: ProgramObservation) => void;
  /** A process of the zone reported kernel isolation: of itself, or of programs. */
  readonly onIsolation?: OnIsolation;
}

/** Largest frame from the zone: one object, with its details. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 2 * 2 ** 20 };
/** Time for a zone to restart, before a render reports that it is unavailable. */
const PATIENCE_MS = 60_000;
/** A folder of the maximum size takes minutes, and waits for others. */
const DEADLINE_MS = 900_000;
/** A process answers when it is idle, or between two slices of its work. */
/** Files in transit to the zone, in MiB: in total, and for one namespace. */
const FILES_MIB = { permits: 8, perTenant: 4 } as const;

/** Maximum number of concurrent renders of one process of the zone, which runs fewer at a time. Others wait here. */
const RENDERS = MOST_REQUESTS / 2;

/** The operator's connection to one process of the zone. */
interface Service {
  readonly renders: FairSemaphore;
  readonly client: ZoneClient;
  readonly suspects: Suspects;
}

/**
 * Renders in the sandbox zone. Its answers are checked as untrusted input. A render whose process ends is repeated
 * alone, until it is clear whether the render is the cause.
 */
export class ZoneRenderRunner implements RenderRunner {
  readonly #options: ZoneRenderRunnerOptions;
  readonly #services: Readonly<Record<SandboxService, Service>>;
  readonly #files = new WeakMap<object, Map<number, FileServer>>();
  readonly #filePermits = new FairSemaphore(FILES_MIB);
  #isWarmingUp = false;

  constructor(options: ZoneRenderRunnerOptions) {
    this.#options = options;
    this.#services = { reader: this.#service("reader"), programs: this.#service("programs") };
  }

  /** Connects to the zone, to request its isolation. */
  connect(): void {
    for (const { client } of Object.values(this.#services))
      void client.link({ withinMs: PATIENCE_MS }).catch(() => undefined);
  }

  warmUp(): void {
    if (this.#isWarmingUp) return;
    this.#isWarmingUp = true;
    const { client } = this.#services.programs;
    void client
      .link({ withinMs: PATIENCE_MS })
      .then((link) =>
        link.request("warm-up", { body: {} }, { read: () => undefined, deadlineMs: DEADLINE_MS }),
      )
      // The render itself will report the problem.
      .catch(() => undefined)
      .finally(() => {
        this.#isWarmingUp = false;
      });
  }

  async run(request: RenderRequest, patience: RunPatience): Promise<Rendered> {
    const { namespace, render } = request;
    const { client, renders, suspects } = this.#services[serviceFor(render)];
    const permit = await renders.acquire(namespace);
    try {
      return await suspects.run(namespace, patience.unwanted, async () =>
        this.#attempt(await client.link({ withinMs: PATIENCE_MS }), request, patience),
      );
    } finally {
      permit.release();
    }
  }

  close(): void {
    for (const { client } of Object.values(this.#services)) client.close();
  }

  #service(name: SandboxService): Service {
    const { folder, ...options } = this.#options;
    const { clock, onIsolation } = options;
    const socket = socketOf(folder, name);
    const serve: Serve = (request, back) => this.#serve(request, back);
    return {
      client: new ZoneClient({
        ...options,
        ...{ zone: `sandbox/${name}`, socket, limits, serve },
        onConnect: (link) => void (onIsolation && askIsolation(name, link, onIsolation)),
      }),
      renders: new FairSemaphore({ permits: RENDERS }),
      suspects: new Suspects({ clock }),
    };
  }

  /** The zone requests files of a render that is running on the same connection, or the request is rejected. */
  readonly #serve: Serve = async (request, back) => {
    const { render } = request.body as { readonly render?: unknown };
    const files = this.#files.get(back)?.get(Number(render));
    if (files === undefined) throw new RangeError("There is no such render");
    return await files.serve(request);
  };

  async #attempt(link: Link, request: RenderRequest, patience: RunPatience): Promise<Rendered> {
    const { namespace, revision } = request;
    const files = new FileServer(namespace, revision.files, this.#filePermits);
    const open = this.#files.getOrInsertComputed(link, () => new Map());
    const { onSlow, onRunning, onWorked } = patience;
    const { memoryLimit } = this.#options;
    const reader = new RenderedReader({ onSlow, onRunning, onWorked, memoryLimit });
    const { call, parts, deadlineMs } = this.#callOf(request, patience);
    let id = 0;
    try {
      const { rendered, answer } = await link.request(
        "render",
        { body: call, parts },
        {
          deadlineMs,
          cancel: patience.unwanted,
          onId: (given) => {
            id = given;
            open.set(given, files);
          },
          onItem: (item) => reader.take(item),
          read: (answer) => reader.end(answer),
        },
      );
      this.#note(answer, request.key);
      if (rendered instanceof SourceError) throw rendered;
      return rendered;
    } catch (error) {
      if (error instanceof ZoneAnswerError) throw files.error ?? errorOf(error);
      throw error;
    } finally {
      open.delete(id);
      onRunning?.(false);
    }
  }

  #callOf({ key, namespace, render, revision }: RenderRequest, { isSlow }: RunPatience) {
    const { repositoryId, tree } = revision;
    const { longestProgramMs: longestMs, requireIsolation } = this.#options;
    // JSON has no Infinity.
    const memoryLimit = Math.min(this.#options.memoryLimit, Number.MAX_SAFE_INTEGER);
    const call: RenderCall = { key, namespace, repositoryId, tree, memoryLimit };
    if (render.program === undefined) return { call, parts: [], deadlineMs: DEADLINE_MS };
    const { entry, inputs, timeout } = render.program;
    const timeoutMs = toMilliseconds(timeout);
    return {
      call: { ...call, program: { entry, timeoutMs, longestMs, isSlow, requireIsolation } },
      parts: inputs === undefined ? [] : [Buffer.from(JSON.stringify(inputs))],
      deadlineMs: Math.min(timeoutMs, longestMs) + DEADLINE_MS,
    };
  }

  #note({ did, printed }: RenderAnswer, key: string): void {
    for (const observation of did) this.#options.observe?.(observation);
    if (printed !== "") this.#options.log.debug("A program printed", { release: key, text: printed });
  }
}

/** The error of a failed render: with a reason that the zone may give, or else a failure of the zone itself. */
function errorOf({ body }: ZoneAnswerError): Error {
  const { data } = renderError.safeParse(body);
  const message = toMessage(data?.message ?? "without a reason", 2_000);
  if (data?.reason !== undefined) return new SourceError(data.reason, message);
  return new Error(`The sandbox zone could not render: ${message}`);
}
