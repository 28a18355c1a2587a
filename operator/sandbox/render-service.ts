import { toCanonicalJson } from "../../synth/digest.ts";
import { SourceError } from "../errors.ts";
import type { Clock, Logger } from "../ports.ts";
import type { Rendered } from "../render/ports.ts";
import { readFolderObjects } from "../render/render-manifests.ts";
import { Turns } from "../render/turns.ts";
import { FairSemaphore } from "../runtime/fair-semaphore.ts";
import type { AskBack, IncomingRequest, Serve } from "../zones/incoming-requests.ts";
import type { Message } from "../zones/messages.ts";
import type { IsolationAnswer, RenderAnswer, RenderCall, RenderDetails } from "./messages.ts";
import type { ProgramObservation, Programs } from "./program/programs.ts";
import { encodeDetails, RenderedSender } from "./rendered-sender.ts";
import { zoneFiles } from "./zone-files.ts";

export interface RenderServiceOptions {
  readonly clock: Clock;
  /** Kernel isolation of this process, and of programs that it runs. */
  readonly isolation: IsolationAnswer;
  /** Runs programs; `observe` receives metrics, `log` receives the output of programs. */
  readonly createPrograms: (options: {
    readonly observe: (observation: ProgramObservation) => void;
    readonly log: Logger;
  }) => Programs;
}

/** Maximum number of folders that are read at a time, in total and for one namespace: each takes a few MiB of memory. */
const FOLDERS = { permits: 8, perTenant: 4 } as const;
/** Maximum number of large parts of folders that are parsed at a time, each of which takes up to 64 MiB. */
const LARGE_PORTIONS = 1;
/** Maximum number of concurrent requests to the operator. */
const QUESTIONS = { permits: 64, perTenant: 32 } as const;
const PRINTED = 4_000;
const DID = 50;

/**
 * The work of a process of the sandbox zone: renders sources on request, with files that it requests from the operator.
 */
export function createRenderService({ clock, isolation, createPrograms }: RenderServiceOptions): {
  readonly serve: Serve;
  readonly close: () => Promise<void>;
} {
  const turns = new Turns(clock);
  const folders = new FairSemaphore(FOLDERS);
  const portions = new FairSemaphore({ permits: LARGE_PORTIONS, clock });
  const questions = new FairSemaphore(QUESTIONS);
  let did: ProgramObservation[] = [];
  const printed = new Map<string, string>();
  const programs = createPrograms({
    observe: (observation) => void did.push(observation),
    log: printedTo(printed),
  });

  const answerOf = (answer: Pick<RenderAnswer, "programDigest" | "inputsDigest">, key: string) => {
    const body: RenderAnswer = { ...answer, did: did.slice(0, DID), printed: printed.get(key) ?? "" };
    did = [];
    printed.delete(key);
    return body;
  };

  async function renderFolder(call: RenderCall, request: IncomingRequest, back: AskBack): Promise<Message> {
    const permit = await folders.acquire(call.namespace);
    const turn = turns.begin();
    try {
      const files = filesOf(call, request, back);
      const sender = new RenderedSender(request);
      const { warnings } = await readFolderObjects(files, turn, {
        take: (object) => sender.send(object),
        memoryLimit: call.memoryLimit,
        takePlace: async () => (await portions.acquire(call.namespace)).release,
      });
      return { body: answerOf({}, call.key), parts: [encodeDetails({ warnings: [...warnings] })] };
    } finally {
      permit.release();
      // Also of a render that failed or was cancelled: otherwise it would cost its resource nothing.
      await request.send({ body: { workedMs: turn.workedMs } });
    }
  }

  async function renderProgram(
    call: RenderCall,
    program: NonNullable<RenderCall["program"]>,
    request: IncomingRequest,
    back: AskBack,
  ): Promise<Message> {
    const { key, namespace, repositoryId, tree } = call;
    const { isSlow, ...limits } = program;
    const [inputs] = request.parts;
    const onSlow = (): void => void request.send({ body: { slow: true } });
    const onRunning = (running: boolean): void => void request.send({ body: { running } });
    const onWorked = (workedMs: number): void => void request.send({ body: { workedMs } });
    const rendered = await programs.run({
      ...{ key, namespace, repositoryId, tree, objectMemory: call.memoryLimit, ...limits },
      inputs: inputs === undefined ? undefined : JSON.parse(inputs.toString("utf8")),
      files: filesOf(call, request, back),
      patience: { unwanted: request.signal, isSlow, onSlow, onRunning, onWorked },
    });
    const turn = turns.begin();
    const sender = new RenderedSender(request);
    for (const [index, manifest] of rendered.manifests.entries()) {
      if (turn.isOver) await turn.next();
      await sender.send({ text: toCanonicalJson(manifest), origin: rendered.origins[index] ?? "" });
    }
    await sender.sendEdges(edgesOf(rendered));
    const { programDigest, inputsDigest } = rendered;
    const digests = {
      ...(programDigest !== undefined && { programDigest }),
      ...(inputsDigest !== undefined && { inputsDigest }),
    };
    return { body: answerOf(digests, key), parts: [encodeDetails(detailsIn(rendered))] };
  }

  const filesOf = ({ namespace }: RenderCall, { id }: IncomingRequest, back: AskBack) =>
    zoneFiles({ back, render: id, namespace, requests: questions });

  const serve: Serve = async (request, back) => {
    if (request.name === "warm-up") {
      programs.warmUp();
      return { body: {} };
    }
    if (request.name === "isolation") return { body: isolation };
    if (request.name !== "render") throw new RangeError(`There is no request "${request.name}"`);
    const call = request.body as RenderCall;
    return call.program === undefined
      ? renderFolder(call, request, back)
      : renderProgram(call, call.program, request, back);
  };
  return { serve, close: () => programs.close() };
}

/** The part of an error that is sent to the operator, because users see it. */
export function describeRenderError(error: unknown): object {
  if (error instanceof SourceError) return { reason: error.reason, message: error.message.slice(0, 4_000) };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message: text.slice(0, 4_000) };
}

function edgesOf({ dependencies }: Rendered): readonly (readonly [number, number])[] {
  return [...dependencies].flatMap(([from, needs]) => needs.map((to) => [from, to] as const));
}

function detailsIn({ readPaths, warnings = [] }: Rendered): RenderDetails {
  return { warnings: [...warnings], ...(readPaths && { readPaths: [...readPaths] }) };
}

/** A log that keeps the output of programs by the key of their resource, until the answer contains it. */
function printedTo(printed: Map<string, string>): Logger {
  const debug = (_message: string, fields: { release?: unknown; text?: unknown } = {}): void => {
    if (typeof fields.release === "string")
      printed.set(fields.release, String(fields.text).slice(0, PRINTED));
  };
  const log: Logger = { debug, info() {}, warn() {}, error() {}, child: () => log };
  return log;
}
