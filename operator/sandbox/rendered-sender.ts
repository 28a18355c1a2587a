import { SourceError } from "../errors.ts";
import type { IncomingRequest } from "../zones/incoming-requests.ts";
import { checkJson } from "./check-json.ts";
import { type RenderDetails, renderDetails } from "./messages.ts";
import { readObject } from "./read-object.ts";
import { renderLimits } from "./render-limits.ts";

/** Maximum number of warnings of one render, and their length in characters. */
const [WARNINGS, WARNING_CHARACTERS] = [20, 2_000];

export interface RenderedObject {
  /** Canonical JSON. */
  readonly text: string;
  readonly origin: string;
}

/**
 * Sends the result of one render in the zone. It first makes every check of the operator (rendered-reader.ts), with the
 * same code: the operator closes the connection for invalid data, and renders of all namespaces share the connection.
 */
export class RenderedSender {
  readonly #request: Pick<IncomingRequest, "send" | "signal">;
  #objects = 0;
  #bytes = 0;

  constructor(request: Pick<IncomingRequest, "send" | "signal">) {
    this.#request = request;
  }

  /** @throws SourceError RenderFailed or RenderLimit for an object that the operator would reject. */
  send({ text, origin }: RenderedObject): Promise<void> {
    const { send, signal } = this.#request;
    signal.throwIfAborted();
    const part = Buffer.from(text);
    const place = origin.slice(0, renderLimits.originCharacters);
    const problem = checkJson(part);
    if (problem !== undefined) throw new SourceError("RenderLimit", `${place}: the object ${problem}`);
    this.#count(part.length);
    try {
      readObject(part);
    } catch (error) {
      throw new SourceError("RenderFailed", `${place}: ${(error as Error).message}`);
    }
    return send({ body: { origin: place }, parts: [part] });
  }

  /**
   * Sends dependencies between the objects, after all of them.
   *
   * @throws SourceError RenderLimit for more than the operator accepts.
   */
  async sendEdges(edges: readonly (readonly [number, number])[]): Promise<void> {
    if (edges.length > renderLimits.edges)
      throw tooMuch(`has more than ${renderLimits.edges} dependencies between objects`);
    const most = renderLimits.edgeBytes / 8;
    for (let at = 0; at < edges.length; at += most) {
      const some = edges.slice(at, at + most);
      const part = Buffer.alloc(8 * some.length);
      for (const [index, [from, to]] of some.entries())
        part.writeUInt32BE(to, part.writeUInt32BE(from, 8 * index));
      await this.#request.send({ body: { edges: true }, parts: [part] });
    }
  }

  #count(bytes: number): void {
    this.#objects += 1;
    this.#bytes += bytes;
    const { objects, bytes: mostBytes } = renderLimits;
    if (this.#objects > objects) throw tooMuch(`creates more than ${objects} objects`);
    if (this.#bytes > mostBytes) throw tooMuch(`creates more than ${mostBytes / 2 ** 20} MiB of JSON`);
  }
}

function tooMuch(what: string): SourceError {
  return new SourceError("RenderLimit", `Cannot render the source: it ${what}`);
}

/**
 * Encodes the part of an answer.
 *
 * @throws SourceError for details that the operator would reject.
 */
export function encodeDetails({ warnings, ...details }: RenderDetails): Buffer {
  const shown = warnings.slice(0, WARNINGS).map((warning) => warning.slice(0, WARNING_CHARACTERS));
  const { data, error } = renderDetails.safeParse({ ...details, warnings: shown });
  if (data === undefined) {
    const isPath = error.issues[0]?.path[0] === "readPaths";
    const why = isPath
      ? "a file that it imports has a path with control characters"
      : "its details are invalid";
    throw new SourceError("RenderFailed", `Cannot render the program: ${why}`);
  }
  const part = Buffer.from(JSON.stringify(data));
  if (part.length <= renderLimits.detailBytes) return part;
  throw new SourceError("RenderLimit", "Cannot render the program: the paths that it imports are too long");
}
