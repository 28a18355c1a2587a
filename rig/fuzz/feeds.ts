import { StringDecoder } from "node:string_decoder";
import { toOperatorError } from "../../operator/cluster/api-errors.ts";
import { kindsOfDefinition, readAggregated } from "../../operator/cluster/found-kinds/discovery-answer.ts";
import { assessHealth } from "../../operator/engine/health/health.ts";
import { compileExpression } from "../../operator/engine/health/health-expression.ts";
import { parseUntrusted } from "../../operator/engine/json-shape.ts";
import { BoundedText } from "../../operator/git/bounded-text.ts";
import { readPushAnswer } from "../../operator/git/publish/push-answer.ts";
import { namesIn, readRemoteRefs } from "../../operator/git/remote-refs.ts";
import * as source from "../../operator/git/source/messages.ts";
import { toRemoteFailure } from "../../operator/git/source/remote-failure.ts";
import { chooseTag } from "../../operator/git/source/semver-ref.ts";
import { describeSimilarNames } from "../../operator/git/source/similar-names.ts";
import { readIgnoreRules } from "../../operator/render/ignore-rules.ts";
import { readDocuments } from "../../operator/render/read-documents.ts";
import { toManifests } from "../../operator/render/to-manifests.ts";
import * as sandbox from "../../operator/sandbox/messages.ts";
import { explainDifference } from "../../operator/sandbox/program/compare-runs.ts";
import { MessageReader } from "../../operator/sandbox/program/message-reader.ts";
import { readHead, readObjects } from "../../operator/sandbox/program/read-output.ts";
import { RenderedReader } from "../../operator/sandbox/rendered-reader.ts";
import { FrameReader } from "../../operator/zones/frame-reader.ts";
import { readHeader } from "../../operator/zones/messages.ts";

const MiB = 2 ** 20;
const attempt = { verb: "apply", id: "/Secret/shop/web", namespace: "shop" } as const;

export function* documentsOf(path: string, bytes: Buffer): Generator<undefined, void> {
  for (const document of readDocuments(path, bytes)) {
    yield;
    if (document === undefined) continue;
    for (const { path: field } of toManifests(document.value)) {
      yield;
      document.lineOf(field);
    }
  }
}

export function* ignore(bytes: Buffer): Generator<undefined, void> {
  const rules = readIgnoreRules(new Map([[".fairleadignore", bytes.toString()]]));
  for (const path of ["a", `${"a".repeat(200)}/${"ab".repeat(120)}`, "a/".repeat(20)]) {
    yield* rules.decideFolders(path);
    rules.isIgnored(path);
  }
}

export function stderr(bytes: Buffer): undefined {
  const text = new BoundedText();
  for (let at = 0; at < bytes.length; at += 65_536) text.add(bytes.subarray(at, at + 65_536));
  toRemoteFailure(text.toText(["hunter2"]), ["hunter2"]);
}

export function* remoteRefs(bytes: Buffer): Generator<undefined, void> {
  const decoder = new StringDecoder();
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 65_536) {
    pieces.push(decoder.write(bytes.subarray(at, at + 65_536)));
    yield;
  }
  const refs = yield* readRemoteRefs(pieces);
  const tags = yield* namesIn(refs, "refs/tags/");
  yield* chooseTag(tags, ">=1.0.0-0 <3 || 5.x");
  describeSimilarNames("v1.0.0", tags);
}

export function messages(bytes: Buffer): undefined {
  const reader = new MessageReader(16 * MiB);
  const size = Math.max(1, Math.floor(bytes.length / 4_096));
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
}

/** Reads a stream of a zone, in chunks of a socket's size. Pauses after each chunk. */
export function* zoneFrames(bytes: Buffer): Generator<undefined, void> {
  const reader = new FrameReader({ headerBytes: 65_536, parts: 1, bytes: 2 * MiB });
  for (let at = 0; at < bytes.length; at += 65_536) {
    for (const { header } of reader.push(bytes.subarray(at, at + 65_536))) readHeader(header);
    yield;
  }
}

/** Reads an object of a render. */
export function renderedObject(bytes: Buffer): undefined {
  const reader = new RenderedReader({ onSlow: () => {}, memoryLimit: 64 * MiB });
  reader.take({ body: { origin: "a" }, parts: [bytes] });
}

/** Reads dependencies between the maximum number of objects of a render. The bytes are valid pairs, so that they are not rejected. */
export function* renderedEdges(bytes: Buffer): Generator<undefined, void> {
  const reader = new RenderedReader({ onSlow: () => {}, memoryLimit: 64 * MiB });
  const names = Array.from({ length: 100 }, (_, index) => `${index}`);
  for (const name of names)
    reader.take({
      body: { origin: name },
      parts: [Buffer.from(`{"apiVersion":"v1","kind":"A","metadata":{"name":"${name}"}}`)],
    });
  const pairs = Buffer.alloc(4 * (bytes.length & ~1));
  for (let at = 0; at < pairs.length / 4; at++) pairs.writeUInt32BE((bytes[at] ?? 0) % names.length, 4 * at);
  for (let at = 0; at < pairs.length; at += 65_536) {
    yield;
    reader.take({ body: { edges: true }, parts: [pairs.subarray(at, at + 65_536)] });
  }
  yield;
  reader.end({ body: { did: [], printed: "" }, parts: [Buffer.from('{"warnings":[]}')] });
}

export async function programAnswer(bytes: Buffer): Promise<void> {
  const { head } = await readHead(bytes);
  if (head.state === "collected") await readObjects(bytes, head, { objects: 10_000 });
}

/** The bytes are items of a list in an object. */
export async function programObject(bytes: Buffer): Promise<void> {
  const head = '{"state":"collected","origins":["a"],"edges":[]}';
  const [start, end] = [`${head}\n{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"data":[`, "0]}"];
  await programAnswer(Buffer.concat([Buffer.from(start), bytes, Buffer.from(end)]));
}

/** The bytes are dependencies between two objects. */
export async function programEdges(bytes: Buffer): Promise<void> {
  const start = '{"state":"collected","origins":["a","b"],"edges":[';
  await programAnswer(Buffer.concat([Buffer.from(start), bytes, Buffer.from("[0,1]]}")]));
}

export async function twoAnswers(bytes: Buffer): Promise<void> {
  await explainDifference([bytes, Buffer.concat([bytes, Buffer.from("1")])]);
}

export function cel(bytes: Buffer): undefined {
  const expression = compileExpression(bytes.toString());
  const list = Array.from({ length: 1_000 }, (_, index) => ({ name: `n${index}`, value: "a".repeat(100) }));
  expression({ metadata: { name: "a" }, spec: { list, text: "a".repeat(10_000) }, status: { ready: 1 } });
}

export function kinds(value: unknown): void {
  readAggregated(value);
  if (typeof value === "object" && value !== null)
    kindsOfDefinition(value as Readonly<Record<string, unknown>>);
}

export function* refusal(bytes: Buffer): Generator<undefined, void> {
  const message = bytes.toString();
  const details = { causes: [{ field: message, message }] };
  for (const status of [403, 409, 422, 500]) {
    const body = JSON.stringify({ kind: "Status", code: status, message, details });
    yield;
    toOperatorError({ status, body, retryAfterMs: undefined }, attempt);
    yield;
  }
}

export function pushAnswer(bytes: Buffer): undefined {
  const text = bytes.toString();
  readPushAnswer({ exitCode: 1, stdout: [text], stderr: text.slice(0, 65_536) });
}

/** Reads a value as each response and request of the source zone. */
export function sourceAnswers(value: unknown): void {
  for (const schema of [
    source.lastChangeAnswer,
    source.readItem,
    source.authorsItem,
    source.errorBody,
    source.countsItem,
  ])
    schema.safeParse(value);
}

/** Reads a value as each response and request of the sandbox zone. */
export function sandboxAnswers(value: unknown): void {
  for (const schema of [
    sandbox.renderItem,
    sandbox.renderAnswer,
    sandbox.renderError,
    sandbox.listBody,
    sandbox.readBody,
  ])
    schema.safeParse(value);
}

/** Feeds the annotation of a HorizontalPodAutoscaler of version v1. */
export function autoscaler(conditions: string): void {
  const annotations = { "autoscaling.alpha.kubernetes.io/conditions": conditions };
  const metadata = { name: "web", namespace: "shop", uid: "1", resourceVersion: "1", annotations };
  const head = { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", ours: true };
  assessHealth({ ...head, metadata }, { nowMs: 0 });
}

/** A reader of one text that does not pause. */
export function ofText(read: (text: string) => unknown): (bytes: Buffer) => undefined {
  return (bytes) => {
    read(bytes.toString());
  };
}

/** A reader of bytes that does not pause. */
export function ofBytes(read: (bytes: Buffer) => unknown): (bytes: Buffer) => undefined {
  return (bytes) => {
    read(bytes);
  };
}

/** A reader of values that were parsed elsewhere. */
export function ofJson(read: (value: unknown) => unknown): (bytes: Buffer) => undefined {
  return (bytes) => {
    let value: unknown;
    try {
      value = parseUntrusted(bytes);
    } catch {
      return;
    }
    read(value);
  };
}
