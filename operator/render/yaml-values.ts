import { COLLECTION_STYLE, EVENT_ID, type Event, SCALAR_STYLE } from "js-yaml";
import { DocumentError } from "./document-error.ts";
import { messages } from "./yaml-errors.ts";
import { FieldsReader, isReadAsText } from "./yaml-fields.ts";
import {
  anchorOf,
  type CollectionEvent,
  checkTag,
  hasTightColon,
  isBlock,
  isQuoted,
  type ScalarEvent,
  scalarOf,
  tagOf,
  textOf,
} from "./yaml-scalars.ts";

/** Maximum number of characters into which the aliases of one document expand. */
const ALIAS_LIMIT = 1_048_576;
/** Maximum nesting of lists and maps. */
export const DEPTH_LIMIT = 100;
/** Maximum length of a key, as in go-yaml. */
const KEY_LIMIT = 1_024;
/** Events that are processed between two pauses. */
const AT_ONCE = 1_000;

/** Called with the offset at which each field and each item of a list begins. */
export type Trace = (container: object, key: string | number, at: number) => void;

export interface ValueOptions {
  /** Text of the events. */
  readonly text: string;
  readonly lineOf: (offset: number) => number;
  readonly trace?: Trace | undefined;
}

/** Value of an anchor. */
interface Anchored {
  readonly value: unknown;
  /** Nodes and characters of the value, including the expansion of its aliases. */
  readonly weight: number;
}

/** A list or a map whose end has not been read yet. */
interface Open {
  readonly list: unknown[] | undefined;
  readonly map: FieldsReader | undefined;
  readonly isFlow: boolean;
  readonly anchor: string | undefined;
  /** Weight of the document at its beginning. */
  readonly before: number;
  /** The key whose value is read next. */
  key: { readonly name: string; readonly at: number; readonly isMerge: boolean } | undefined;
  /** Whether the first key of a map has been read. */
  hasKey: boolean;
}

/**
 * Converts the events of one document to its value, in the same way as kubectl. Keys are text; anchors, aliases and
 * merge keys are resolved within limits. An alias returns the same object every time: code that changes it must copy it
 * first. Removes the events from the list. Pauses regularly.
 *
 * @throws {DocumentError} with the line; its text contains no content of the file except names of keys.
 */
export function* toPlainValue(events: Event[], options: ValueOptions): Generator<undefined, unknown> {
  const reader = new ValueReader(options);
  // Removed from the end of the array, so that events are freed while values are created.
  events.reverse();
  for (let event = events.pop(); event !== undefined; event = events.pop()) {
    reader.take(event);
    if (events.length % AT_ONCE === 0) yield;
  }
  return reader.value;
}

class ValueReader {
  /** Value of the document; undefined if it has none. */
  value: unknown;
  readonly #text: string;
  readonly #lineOf: (offset: number) => number;
  readonly #trace: Trace | undefined;
  readonly #open: Open[] = [];
  /** Undefined: the anchor's own value is being read. */
  readonly #anchors = new Map<string, Anchored | undefined>();
  #documents = 0;
  #weight = 0;
  #aliasWeight = 0;
  /** Offset of the current node. */
  #at = 0;
  readonly #fail = (message: string): never => this.#failAt(this.#at, message);

  constructor({ text, lineOf, trace }: ValueOptions) {
    this.#text = text;
    this.#lineOf = lineOf;
    this.#trace = trace;
  }

  take(event: Event): void {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        if (++this.#documents > 1) this.#fail(messages.more);
        return;
      case EVENT_ID.POP:
        this.#close();
        return;
      case EVENT_ID.ALIAS:
        this.#at = event.anchorStart;
        this.#put(this.#resolve(this.#text.slice(event.anchorStart, event.anchorEnd)));
        return;
      case EVENT_ID.SCALAR:
        this.#takeScalar(event);
        return;
      default:
        this.#openCollection(event);
    }
  }

  #openCollection(event: CollectionEvent): void {
    this.#at = event.start;
    this.#checkLine(event);
    const isList = event.type === EVENT_ID.SEQUENCE;
    if (this.#isKeyNext()) this.#fail("a key is not text");
    checkTag(tagOf(this.#text, event), isList ? "!!seq" : "!!map", this.#fail);
    if (this.#open.length === DEPTH_LIMIT) this.#failAt(this.#at, messages.deep, "RenderLimit");
    const anchor = anchorOf(this.#text, event);
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const [list, map] = isList ? [[], undefined] : [undefined, new FieldsReader()];
    this.#traceNext();
    const isFlow = event.style === COLLECTION_STYLE.FLOW;
    this.#open.push({ list, map, isFlow, anchor, before: this.#weight++, key: undefined, hasKey: false });
  }

  /** go-yaml rejects `a: &x b: c`: block lists and block maps begin on a new line. */
  #checkLine({ style, start }: CollectionEvent): void {
    const key = this.#open.at(-1)?.key;
    if (key === undefined || style !== COLLECTION_STYLE.BLOCK) return;
    const end = this.#text.indexOf("\n", key.at);
    if (end === -1 || end > start) this.#fail(messages.colon);
  }

  /** js-yaml parses `- [] a: 1` as the end of a list and a field of the map that contains the list. */
  #checkKeyLine(open: Open, event: ScalarEvent): void {
    const isFirst = !open.hasKey;
    open.hasKey = true;
    if (open.isFlow || isFirst || isBlock(event)) return;
    const { anchorStart, tagStart } = event;
    const starts = [isQuoted(event) ? this.#at - 1 : this.#at];
    if (anchorStart !== -1) starts.push(anchorStart - 1);
    if (tagStart !== -1) starts.push(tagStart);
    let at = Math.min(...starts);
    while (/[ \t]/.test(this.#text.charAt(at - 1))) at--;
    if (!/^[\n?:]?$/.test(this.#text.charAt(at - 1))) this.#fail(messages.more);
  }

  #close(): void {
    const open = this.#open.pop();
    // The last event is the end of the document.
    if (open === undefined) return;
    const value = open.list ?? open.map?.fields;
    if (open.anchor !== undefined)
      this.#anchors.set(open.anchor, { value, weight: this.#weight - open.before });
    this.#add(value);
  }

  #takeScalar(event: ScalarEvent): void {
    if (event.valueStart !== -1) {
      // A block scalar begins in the line above its value.
      this.#at = isBlock(event) ? event.valueStart - 1 : event.valueStart;
    }
    const text = textOf(this.#text, event, this.#fail);
    const weight = text.length + 1;
    this.#weight += weight;
    const anchor = anchorOf(this.#text, event);
    if (this.#isKeyNext()) {
      this.#takeKey(event, text);
      if (anchor !== undefined) this.#anchors.set(anchor, { value: text, weight });
      return;
    }
    const value = scalarOf(tagOf(this.#text, event), event, text, this.#fail);
    if (anchor !== undefined) this.#anchors.set(anchor, { value, weight });
    this.#put(value);
  }

  #takeKey(event: ScalarEvent, name: string): void {
    const tag = tagOf(this.#text, event);
    const isPlain = tag === undefined && event.style === SCALAR_STYLE.PLAIN;
    const isMerge = isPlain && name === "<<";
    // go-yaml parses the colon of `{a:, b: 1}` as a part of the key.
    if (isPlain && hasTightColon(this.#text, event)) this.#fail(messages.space);
    if (name.length > KEY_LIMIT) this.#fail(`a key has more than ${KEY_LIMIT} characters`);
    const isText = isPlain ? isReadAsText(name) : String(scalarOf(tag, event, name, this.#fail)) === name;
    // go-yaml merges `! <<`, too.
    if (!isText || (name === "<<" && tag === "!")) this.#fail(messages.key(name));
    const open = this.#open.at(-1) as Open;
    this.#checkKeyLine(open, event);
    if (!isMerge) open.map?.claim(name, this.#fail);
    open.key = { name, at: this.#at, isMerge };
    this.#traceNext();
  }

  /** Whether the next node is the key of a map. */
  #isKeyNext(): boolean {
    const open = this.#open.at(-1);
    return open?.map !== undefined && open.key === undefined;
  }

  #traceNext(): void {
    const open = this.#open.at(-1);
    if (this.#trace === undefined || open === undefined) return;
    if (open.list !== undefined) this.#trace(open.list, open.list.length, this.#at);
    else if (open.key !== undefined) this.#trace(open.map?.fields ?? open, open.key.name, open.key.at);
  }

  #put(value: unknown): void {
    if (this.#isKeyNext()) this.#fail("a key is not text");
    this.#traceNext();
    this.#add(value);
  }

  /** Adds a value to its parent. */
  #add(value: unknown): void {
    const open = this.#open.at(-1);
    if (open === undefined) {
      this.value = value;
    } else if (open.list !== undefined) {
      open.list.push(value);
    } else if (open.map !== undefined && open.key !== undefined) {
      const { name, at, isMerge } = open.key;
      if (isMerge) open.map.merge(value, (message) => this.#failAt(at, message));
      else open.map.fields[name] = value;
      open.key = undefined;
    }
  }

  /** The value of an alias. */
  #resolve(name: string): unknown {
    const anchored = this.#anchors.get(name);
    if (anchored === undefined)
      return this.#fail(this.#anchors.has(name) ? messages.ownAlias : messages.alias);
    this.#weight += anchored.weight;
    this.#aliasWeight += anchored.weight;
    if (this.#aliasWeight > ALIAS_LIMIT) this.#failAt(this.#at, messages.aliases, "RenderLimit");
    return anchored.value;
  }

  #failAt(at: number, message: string, reason?: "RenderLimit"): never {
    throw new DocumentError(message, { line: this.#lineOf(at), ...(reason && { reason }) });
  }
}
