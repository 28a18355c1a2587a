import { createHash } from "node:crypto";
import { idOf, type Manifest } from "../../synth/manifest.ts";
import { showMebibytes } from "../engine/show-text.ts";
import { SourceError } from "../errors.ts";
import { estimateMemory } from "../render/estimate-memory.ts";
import type { Rendered } from "../render/ports.ts";
import type { Received } from "../zones/outgoing-requests.ts";
import { type RenderAnswer, renderAnswer, renderItem } from "./messages.ts";
import { refuseCycles } from "./program/read-output.ts";
import { readDetails } from "./read-details.ts";
import { readObject } from "./read-object.ts";
import { renderLimits } from "./render-limits.ts";

export interface RenderedReaderOptions {
  /** Called when the program takes long. */
  readonly onSlow: () => void;
  /** Called when the program's process has started or finished the work for it. */
  readonly onRunning?: ((isRunning: boolean) => void) | undefined;
  /** Called with the time that the reader of a folder, or a bundler that failed, worked, in milliseconds. */
  readonly onWorked?: ((ms: number) => void) | undefined;
  /** Maximum memory of all objects, in bytes, as estimated. */
  readonly memoryLimit: number;
}

export interface ReadRendered {
  /** `size` is the memory of the objects, in bytes, as estimated. An error if it exceeds the limit. */
  readonly rendered: (Rendered & { readonly size: number }) | SourceError;
  readonly answer: RenderAnswer;
}

/**
 * Collects the answer of the sandbox zone to one render. Everything is checked, and the digest is computed here. Each
 * item takes at most a few milliseconds.
 */
export class RenderedReader {
  readonly #options: RenderedReaderOptions;
  readonly #manifests: Manifest[] = [];
  readonly #origins: string[] = [];
  readonly #ids = new Set<string>();
  readonly #dependencies = new Map<number, number[]>();
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #memory = 0;
  #edges = 0;

  constructor(options: RenderedReaderOptions) {
    this.#options = options;
  }

  /** @throws RangeError, or an error of the schema, for a violation of the protocol. */
  take({ body, parts }: Received): void {
    const item = renderItem.parse(body);
    const [text, ...others] = parts;
    if ("slow" in item) {
      this.#options.onSlow();
      return;
    }
    if ("running" in item) {
      this.#options.onRunning?.(item.running);
      return;
    }
    if ("workedMs" in item) {
      this.#options.onWorked?.(item.workedMs);
      return;
    }
    if (text === undefined || others.length > 0) throw new RangeError("an object in more than one part");
    if ("edges" in item) {
      this.#takeEdges(text);
      return;
    }
    this.#bytes += text.length;
    if (this.#manifests.length >= renderLimits.objects || this.#bytes > renderLimits.bytes)
      throw new RangeError("more objects than a render may have");
    this.#memory += estimateMemory(text.toString("latin1"));
    // This does not close the connection, which other renders use. The remaining objects are discarded.
    if (this.#memory > this.#options.memoryLimit) return;
    const manifest = readObject(text);
    const id = idOf(manifest);
    if (this.#ids.has(id)) throw new RangeError("an object twice");
    this.#ids.add(id);
    this.#hash.update(this.#manifests.length === 0 ? "[" : ",").update(text);
    this.#manifests.push(manifest);
    this.#origins.push(item.origin);
  }

  /** @throws as {@link take}; SourceError for circular dependencies. */
  end({ body, parts }: Received): ReadRendered {
    const answer = renderAnswer.parse(body);
    const { memoryLimit } = this.#options;
    if (this.#memory > memoryLimit) {
      const why = `its objects take more than ${showMebibytes(memoryLimit)} of the operator's memory; split it into several Releases`;
      return { rendered: new SourceError("RenderLimit", why), answer };
    }
    const [details = Buffer.from("{}")] = parts;
    const { readPaths, warnings } = readDetails(details);
    refuseCycles(this.#dependencies, this.#origins);
    const { programDigest, inputsDigest } = answer;
    this.#hash.update(this.#manifests.length === 0 ? "[]" : "]");
    const rendered = {
      manifests: this.#manifests,
      origins: this.#origins,
      dependencies: this.#dependencies,
      // As digestOf() of synth/digest.ts.
      digest: this.#hash.digest("hex").slice(0, 32),
      size: this.#memory,
      ...(programDigest !== undefined && { programDigest }),
      ...(inputsDigest !== undefined && { inputsDigest }),
      ...(readPaths !== undefined && { readPaths }),
      ...(warnings.length > 0 && { warnings }),
    };
    return { rendered, answer };
  }

  /** @throws RangeError for anything other than pairs of objects that were sent. */
  #takeEdges(pairs: Buffer): void {
    if (pairs.length % 8 !== 0 || pairs.length > renderLimits.edgeBytes)
      throw new RangeError("dependencies that are not pairs");
    this.#edges += pairs.length / 8;
    if (this.#edges > renderLimits.edges) throw new RangeError("too many dependencies");
    // Objects beyond the memory limit were discarded.
    if (this.#memory > this.#options.memoryLimit) return;
    for (let at = 0; at < pairs.length; at += 8) {
      const [from, to] = [pairs.readUInt32BE(at), pairs.readUInt32BE(at + 4)];
      if (Math.max(from, to) >= this.#manifests.length)
        throw new RangeError("a dependency on an object that does not exist");
      this.#dependencies.getOrInsertComputed(from, () => []).push(to);
    }
  }
}
