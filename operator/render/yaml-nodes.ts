import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from "yaml";
import { DocumentError } from "./document-error.ts";
import { resolvePlain, unreadable } from "./resolve-scalar.ts";
import { ALIAS_LIMIT, aliasProblem } from "./yaml-anchors.ts";
import { type Anchored, DEPTH_LIMIT, messages } from "./yaml-cursor.ts";
import { checkPlainKey, FieldsReader } from "./yaml-fields.ts";

interface Reading {
  readonly lineOf: (offset: number) => number;
  /** Undefined: the anchor's own value is being read. */
  readonly anchors: Map<string, Anchored | undefined>;
  weight: number;
  aliasWeight: number;
  depth: number;
}

/**
 * The value of a document's nodes, read as kubectl reads them. Anchors, aliases and merge keys are resolved within
 * bounds; keys are text.
 *
 * @throws {DocumentError}
 */
export function toPlainValue(contents: unknown, lineOf: (offset: number) => number): unknown {
  return toValue(contents, { lineOf, anchors: new Map(), weight: 0, aliasWeight: 0, depth: 0 });
}

function fail(node: unknown, reading: Reading, message: string, reason?: "RenderLimit"): never {
  const offset = (node as Node | null)?.range?.[0] ?? 0;
  throw new DocumentError(message, { line: reading.lineOf(offset), ...(reason && { reason }) });
}

function toValue(node: unknown, reading: Reading): unknown {
  if (isAlias(node)) return resolveAlias(node, node.source, reading);
  const before = reading.weight++;
  const anchor = (node as { readonly anchor?: string } | null)?.anchor;
  if (anchor !== undefined) reading.anchors.set(anchor, undefined);
  if (++reading.depth > DEPTH_LIMIT) fail(node, reading, messages.deep, "RenderLimit");
  const value = toOwnValue(node, reading);
  reading.depth--;
  if (anchor !== undefined) reading.anchors.set(anchor, { value, weight: reading.weight - before });
  return value;
}

function resolveAlias(node: unknown, name: string, reading: Reading): unknown {
  const anchored = reading.anchors.get(name);
  if (anchored === undefined) return fail(node, reading, aliasProblem(reading.anchors.has(name)));
  reading.weight += anchored.weight;
  reading.aliasWeight += anchored.weight;
  if (reading.aliasWeight > ALIAS_LIMIT) fail(node, reading, messages.aliases, "RenderLimit");
  return anchored.value;
}

function toOwnValue(node: unknown, reading: Reading): unknown {
  if (node === null || node === undefined) return null;
  if (isScalar(node)) return toScalar(node, reading);
  const { tag } = node as { readonly tag?: string };
  if (isSeq(node)) {
    refuseTag(node, tag, "tag:yaml.org,2002:seq", reading);
    return node.items.map((item) => toValue(item, reading));
  }
  if (!isMap(node)) return fail(node, reading, "is not a value");
  refuseTag(node, tag, "tag:yaml.org,2002:map", reading);
  return toFields(node, reading);
}

function refuseTag(node: unknown, tag: string | undefined, own: string, reading: Reading): void {
  if (tag === undefined || tag === own || tag === "!") return;
  fail(node, reading, "a tag is not one that is read; a text that begins with ! must stand in quotes");
}

function toScalar(node: Scalar, reading: Reading): unknown {
  const text = String(node.value ?? "");
  reading.weight += text.length;
  const { tag } = node;
  const isPlain = node.type === "PLAIN" || node.type === undefined;
  if (tag === "!" || tag === "tag:yaml.org,2002:str" || (tag === undefined && !isPlain)) return text;
  const value = resolvePlain(text);
  if (value === unreadable) {
    return fail(node, reading, messages.number);
  }
  if (tag === undefined) return value;
  const type = value === null ? "null" : typeof value;
  const fits =
    { "tag:yaml.org,2002:int": Number.isInteger(value), "tag:yaml.org,2002:float": type === "number" }[tag] ??
    { "tag:yaml.org,2002:bool": type === "boolean", "tag:yaml.org,2002:null": type === "null" }[tag];
  if (fits === undefined) refuseTag(node, tag, "", reading);
  if (fits === false) fail(node, reading, "a tag does not fit its value");
  return value;
}

function toFields(map: YAMLMap, reading: Reading): Record<string, unknown> {
  const reader = new FieldsReader();
  for (const pair of map.items) {
    const failHere = (why: string): never => fail(pair.key, reading, why);
    if (isMergeKey(pair)) {
      reader.merge(toValue(pair.value, reading), failHere);
    } else {
      const key = toKey(pair.key, reading);
      reader.claim(key, failHere);
      reader.fields[key] = toValue(pair.value, reading);
    }
  }
  return reader.fields;
}

function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN" && key.tag === undefined;
}

function toKey(node: unknown, reading: Reading): string {
  if (!isScalar(node)) return fail(node, reading, "a key is no text");
  const text = String(node.value ?? "");
  reading.weight += text.length;
  if (node.tag === undefined && (node.type === "PLAIN" || node.type === undefined)) {
    checkPlainKey(text, (why) => fail(node, reading, why));
  } else {
    toScalar(node, reading);
  }
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, { value: text, weight: text.length + 1 });
  return text;
}
