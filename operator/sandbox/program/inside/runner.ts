// Runs in a sandbox process: it serves one operator over its standard streams, and runs one program.
import { Buffer } from "node:buffer";
import { type Context, constants, createContext, Script } from "node:vm";
import { writeMessage } from "./messages.ts";
import { PipeReader, type ReceivedMessage } from "./pipe-reader.ts";
import { giveUpRights } from "./rights.ts";

/** Number of contexts that are kept ready for consecutive requests. */
const READY = 3;

interface Library {
  readonly name: string;
  readonly script: Script;
}

/** A context, and which libraries were run in it. */
interface Ready {
  readonly context: Context;
  readonly has: Set<string>;
}

// Captured, because giveUpRights() removes them from the global object.
const { performance, process, setImmediate } = globalThis;
const [requests, answers] = [0, 1];
const reader = new PipeReader(requests);
const holder = new Script("__fairleadHold", { filename: "hold" });
const reject = new Script("__fairleadReject()", { filename: "reject" });
const finish = new Script("__fairleadFinish()", { filename: "finish" });
let libraries: readonly Library[] = [];
let program: Script | undefined;
/** Libraries that are prepared before a program is known: most programs need these two. */
let needs: readonly string[] = ["cdk8s", "cdk8s-plus-27"];
let ready: Ready[] = [];
let rejection: { readonly reason: unknown } | undefined;

// Not in this turn of the event loop: at its end Node restores `module` on the global object.
setImmediate(() => {
  giveUpRights(process);
  process.on("unhandledRejection", (reason) => {
    rejection ??= { reason };
  });
  void serve();
});

/** Handles one message after the other. While there is none, it prepares contexts. */
async function serve(): Promise<void> {
  for (;;) {
    const message = await receive();
    if (message === undefined) return process.exit(0);
    await handle(message);
  }
}

async function receive(): Promise<ReceivedMessage | undefined> {
  let isThere = false;
  const message = reader.next().finally(() => {
    isThere = true;
  });
  while (libraries.length > 0 && ready.length < READY) {
    // A message that has arrived is processed after one turn of the event loop.
    await nextTurn();
    if (isThere) break;
    ready.push(prepare());
  }
  return message;
}

async function handle({ header, parts }: ReceivedMessage): Promise<void> {
  switch (header.kind) {
    case "libraries":
      libraries = header.names.map((name, index) => libraryOf(name, parts[2 * index], parts[2 * index + 1]));
      // Two contexts are for the first run and the run that verifies it.
      ready = [prepare(), prepare()];
      return writeMessage(answers, { kind: "ready" });
    case "caches": {
      const caches = libraries.map(({ script }) => script.createCachedData());
      return writeMessage(answers, { kind: "caches" }, caches);
    }
    case "program":
      // Contexts are prepared for one program only.
      if (program !== undefined) ready = [];
      program = new Script(String(parts[0]), { filename: "release-program.js" });
      needs = header.needs;
      for (const prepared of ready) fill(prepared);
      return;
    case "run":
      return answerRun(String(parts[0]), header.copies, header.timeoutMs);
  }
}

function libraryOf(name: string, code?: Buffer, cache?: Buffer): Library {
  const cachedData = cache?.length === 0 ? undefined : cache;
  const script = new Script(String(code), {
    filename: `library-${name}.js`,
    ...(cachedData && { cachedData }),
  });
  return { name, script };
}

async function answerRun(request: string, copies: number, timeoutMs: number): Promise<void> {
  const untilMs = performance.now() + timeoutMs;
  const results: string[] = [];
  for (let copy = 0; copy < copies; copy++) {
    const result = await runOnce(request, untilMs);
    if (result === undefined) return writeMessage(answers, { kind: "timeout" });
    if (!results.includes(result)) results.push(result);
  }
  writeMessage(
    answers,
    { kind: "ran" },
    results.map((result) => Buffer.from(result)),
  );
}

/**
 * Runs the program in a new context. Nothing here reads or writes a property of the context or of an object from it: an
 * accessor that the program defined would run with this function on the stack.
 */
async function runOnce(request: string, untilMs: number): Promise<string | undefined> {
  const { context } = ready.shift() ?? prepare();
  const evaluate = (script: Script): unknown =>
    script.runInContext(context, { timeout: Math.max(1, Math.ceil(untilMs - performance.now())) });
  try {
    rejection = undefined;
    // Read before the program's code runs. The function only stores its argument, so it needs no timeout.
    const hold = evaluate(holder) as (reason: unknown) => void;
    evaluate(new Script(`__fairleadRun(${JSON.stringify(request)})`, { filename: "begin" }));
    // Node reports unhandled rejections after this turn.
    await nextTurn();
    if (rejection !== undefined) {
      hold((rejection as { reason: unknown }).reason);
      evaluate(reject);
    }
    const result = evaluate(finish);
    return typeof result === "string" ? result : "";
  } catch {
    // Do not inspect the error: it may be an object of the context. Before the deadline, only a program that manipulates
    // the harness gets here.
    return performance.now() >= untilMs - 1 ? undefined : "";
  }
}

/**
 * A context without any object of Node, in which the libraries are evaluated and the program is loaded but not started.
 */
function prepare(): Ready {
  const context = createContext(constants.DONT_CONTEXTIFY as unknown as Context, {
    codeGeneration: { strings: false, wasm: false },
    microtaskMode: "afterEvaluate",
  });
  return fill({ context, has: new Set() });
}

function fill(prepared: Ready): Ready {
  for (const { name, script } of libraries) {
    if (!needs.includes(name) || prepared.has.has(name)) continue;
    script.runInContext(prepared.context);
    prepared.has.add(name);
  }
  program?.runInContext(prepared.context);
  return prepared;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
