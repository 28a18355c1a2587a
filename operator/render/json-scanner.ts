/** A text is not JSON, or is JSON that is not accepted. The message quotes nothing from the text except names of keys. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
  /** Offset of the problem. */
  readonly at: number;
  /** It is nested too deeply. */
  readonly isLimit: boolean;

  constructor(message: string, at: number, { isLimit = false } = {}) {
    super(message);
    this.at = at;
    this.isLimit = isLimit;
  }
}

const newline = 10;
const doubleQuote = 34;
const backslash = 92;

/** Whitespace as in RFC 8259, section 2. */
const blanks = /[ \t\n\r]*/y;
/**
 * A number or one of the three literals. No part of the pattern can match the same text in two ways, so it does not
 * backtrack.
 */
const word = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const integer = /^-?[0-9]+$/;
/** Maximum length of a safe integer, including its sign. */
const LONGEST_INTEGER = 17;
const literals = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
/** V8 copies a slice below this length; a longer slice would keep the whole file in memory. */
const COPIED_SLICE = 13;

/** Reads the tokens of a JSON text from left to right. Each character is visited a fixed number of times. */
export class JsonScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#skipBlanks();
  }

  /** The character of the next token; empty at the end of the text. */
  get next(): string {
    return this.#text.charAt(this.#at);
  }

  /** Offset of the next token. */
  get at(): number {
    return this.#at;
  }

  /** Skips the next token if it is this character. */
  skip(character: string): boolean {
    if (this.next !== character) return false;
    this.#at++;
    this.#skipBlanks();
    return true;
  }

  /** @throws {JsonTextError} if the next token is another one. */
  expect(character: string): void {
    if (!this.skip(character)) throw this.problem();
  }

  /** Reads a string, a number or a literal. @throws {JsonTextError} */
  scalar(): unknown {
    return this.next === '"' ? this.string() : this.#word();
  }

  /** @throws {JsonTextError} if the next token is not a string. */
  string(): string {
    const start = this.#at;
    const end = this.#endOfString();
    const quoted = this.#text.slice(start, end);
    const isShort = quoted.length < COPIED_SLICE && !quoted.includes("\\") && !quoted.includes("\t");
    const value = isShort ? quoted.slice(1, -1) : this.#unquote(quoted);
    this.#at = end;
    this.#skipBlanks();
    return value;
  }

  problem(): JsonTextError {
    // No excerpt: the text may be a Secret.
    return new JsonTextError("is not valid JSON", this.#at);
  }

  #skipBlanks(): void {
    blanks.lastIndex = this.#at;
    blanks.exec(this.#text);
    this.#at = blanks.lastIndex;
  }

  /** Offset after the closing quote. A string cannot span lines, so an unterminated string ends the parsing. */
  #endOfString(): number {
    if (this.next !== '"') throw this.problem();
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === doubleQuote) return at + 1;
      if (code === newline) break;
      if (code === backslash) at++;
    }
    throw this.problem();
  }

  #unquote(quoted: string): string {
    try {
      return String(JSON.parse(quoted));
    } catch {
      throw this.problem();
    }
  }

  #word(): unknown {
    word.lastIndex = this.#at;
    const found = word.exec(this.#text)?.[0];
    if (found === undefined) throw this.problem();
    const value = literals.has(found) ? literals.get(found) : this.#number(found);
    this.#at += found.length;
    this.#skipBlanks();
    return value;
  }

  #number(found: string): number {
    const isExact = integer.test(found)
      ? found.length <= LONGEST_INTEGER && Number.isSafeInteger(Number(found))
      : Number.isFinite(Number(found));
    if (isExact) return Number(found);
    throw new JsonTextError("a number is too large; put it in quotes if it is text", this.#at);
  }
}
