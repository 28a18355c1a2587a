// Runs inside the context of one run, before the program, and in the same realm: it supports the program, and is not a
// security boundary. Its output is checked outside (read-output.ts).

import { type CollectLimits, collectObjects } from "./collect.ts";
import { describeError } from "./describe-error.ts";
import { hardenContext } from "./harden-context.ts";
import { type Outcome, outcomeText } from "./outcome.ts";
import { createYamlImports } from "./yaml-imports.ts";

/** The interface for a program's bundle and the libraries, under the name `__fairlead`. */
export interface Harness {
  /** Registers a library; it is evaluated at its first import. */
  define(name: string, load: () => unknown): void;
  library(name: string): unknown;
  yaml(path: string, text: string): unknown;
  program(load: () => unknown): void;
}

interface Request {
  readonly entry: string;
  /** Hexadecimal digits. */
  readonly seed: string;
  readonly inputs?: unknown;
  readonly objects: number;
  readonly characters: number;
}

interface Cdk8s {
  readonly App: { new (): object; prototype: { synth: () => void } };
}

const loads = new Map<string, () => unknown>();
const libraries = new Map<string, unknown>();
const console = hardenContext(globalThis);
let load: (() => unknown) | undefined;
let outcome: Outcome | undefined;
let limits: CollectLimits | undefined;
let held: { readonly reason: unknown } | undefined;
/** Apps on which the program itself called `synth()`. */
const synthesized = new Set<object>();

function library(name: string): unknown {
  const known = libraries.get(name);
  if (known !== undefined) return known;
  const made = loads.get(name)?.();
  libraries.set(name, made);
  return made;
}

const harness: Harness = {
  define: (name, make) => void loads.set(name, make),
  library,
  yaml: createYamlImports(() => library("yaml")),
  program: (make) => {
    load ??= make;
  },
};

/** First part: all synchronous work of the program. Its microtasks run before `finish`. */
function run(text: string): void {
  const request = JSON.parse(text) as Request;
  limits = { objects: request.objects, characters: request.characters };
  console.seed(request.seed);
  const { App } = library("cdk8s") as Cdk8s;
  App.prototype.synth = function synth(this: object) {
    synthesized.add(this);
  };
  outcome = { state: "pending" };
  attempt("run", () => {
    const { default: main, inputs } = (load?.() ?? {}) as { default?: unknown; inputs?: unknown };
    if (typeof main === "function") runMain(main as Main, { app: new App(), schema: inputs, request });
    else finishWithoutMain(main, request);
  });
}

type Main = (app: object, inputs: unknown) => unknown;

/** Any thrown value becomes the outcome. */
function attempt<T>(doing: "run" | "inputs", what: () => T): T | undefined {
  try {
    return what();
  } catch (error) {
    fail(error, doing);
    return undefined;
  }
}

function fail(error: unknown, doing: "run" | "inputs"): void {
  if (outcome?.state !== "failed") outcome = { state: "failed", doing, error: describeError(error) };
}

interface RunMainInput {
  readonly app: object;
  /** The program's export `inputs`. */
  readonly schema: unknown;
  readonly request: Request;
}

function runMain(main: Main, { app, schema, request }: RunMainInput): void {
  const { parse } = (schema ?? {}) as { parse?: unknown };
  const inputs = attempt("inputs", () =>
    typeof parse === "function" ? (parse.call(schema, request.inputs ?? {}) as unknown) : request.inputs,
  );
  if (outcome?.state === "failed") return;
  const finishMain = (result: unknown): void => {
    if (result !== undefined && !isConstruct(result)) {
      throw new TypeError(
        `its default export returned ${describe(result)}: create objects with constructs below app, and return nothing`,
      );
    }
    synthesized.delete(app);
    outcome = { state: "done", apps: [app, ...synthesized] };
  };
  const result = main(app, inputs);
  if (isThenable(result)) {
    result.then(
      (value) => attempt("run", () => finishMain(value)),
      (error: unknown) => fail(error, "run"),
    );
  } else finishMain(result);
}

/** For a cdk8s program that calls `synth()` itself. */
function finishWithoutMain(main: unknown, { entry, inputs }: Request): void {
  if (main !== undefined) throw new TypeError(`its default export is not a function but ${describe(main)}`);
  if (synthesized.size === 0) {
    throw new TypeError(
      `${entry} has no default export; write: export default (app: App, inputs: Inputs) => { … }`,
    );
  }
  if (inputs !== undefined) {
    throw new TypeError(`there are inputs, but ${entry} has no default export that could take them`);
  }
  outcome = { state: "done", apps: [...synthesized] };
}

/**
 * Stores the reason of an unhandled rejection without inspecting it, because the process calls this outside of any
 * timeout.
 */
function hold(reason: unknown): void {
  held ??= { reason };
}

/** Fails the run with the reason that {@link hold} stored: in Node, an unhandled rejection ends a program. */
function reject(): void {
  fail(held?.reason, "run");
}

/** Second part: the text of the outcome, which is read outside. */
function finish(): string {
  if (outcome?.state !== "done" || limits === undefined)
    return outcomeText(outcome ?? { state: "pending" }, console.text());
  try {
    return outcomeText(collectObjects(outcome.apps, limits), console.text());
  } catch (error) {
    return outcomeText({ state: "failed", doing: "run", error: describeError(error) }, console.text());
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}

function isConstruct(value: unknown): boolean {
  return typeof value === "object" && value !== null && "node" in value;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const fixed = { writable: false, configurable: false, enumerable: false };
Object.defineProperty(globalThis, "__fairlead", { ...fixed, value: Object.freeze(harness) });
Object.defineProperty(globalThis, "__fairleadRun", { ...fixed, value: run });
Object.defineProperty(globalThis, "__fairleadHold", { ...fixed, value: hold });
Object.defineProperty(globalThis, "__fairleadReject", { ...fixed, value: reject });
Object.defineProperty(globalThis, "__fairleadFinish", { ...fixed, value: finish });
