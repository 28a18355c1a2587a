import { hideSecrets } from "./redact.ts";

/** Bytes kept from the beginning, and from the end. */
const KEPT_BYTES = 32 * 1024;
/** Longest credential that others may have in the text, in characters, such as the user information of a URL. */
const UNKNOWN_SECRET = 2 * 1024;

/** Collects the output of a process and keeps its beginning and its end, because a remote decides how long it is. */
export class BoundedText {
  #head = Buffer.alloc(0);
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #isCut = false;

  add(chunk: Buffer): void {
    if (this.#head.length === 0) this.#head = Buffer.allocUnsafe(KEPT_BYTES);
    const room = KEPT_BYTES - this.#headBytes;
    this.#headBytes += chunk.copy(this.#head, this.#headBytes);
    if (chunk.length <= room) return;
    this.#tail.push(chunk.subarray(room));
    this.#tailBytes += chunk.length - room;
    if (this.#tailBytes > 2 * KEPT_BYTES) this.#cutTail();
  }

  /**
   * The collected text, without secrets. A line with "…" marks omitted text.
   *
   * The cut may split a secret, and then neither half is recognized. Therefore whole secrets are replaced first. Then
   * characters are removed on both sides of the cut, as many as the longest secret has.
   */
  toText(secrets: readonly string[]): string {
    if (this.#tailBytes > KEPT_BYTES) this.#cutTail();
    const head = this.#head.subarray(0, this.#headBytes);
    const tail = Buffer.concat(this.#tail);
    if (!this.#isCut) return hideSecrets(Buffer.concat([head, tail]).toString(), secrets);
    const margin = Math.max(UNKNOWN_SECRET, ...secrets.map((secret) => Buffer.byteLength(secret)));
    const [first, last] = [head, tail].map((part) => hideSecrets(part.toString(), secrets));
    return `${first?.slice(0, -margin) ?? ""}\n…\n${last?.slice(margin) ?? ""}`;
  }

  #cutTail(): void {
    const kept = Buffer.concat(this.#tail).subarray(-KEPT_BYTES);
    this.#tail = [kept];
    this.#isCut = true;
    this.#tailBytes = kept.length;
  }
}
