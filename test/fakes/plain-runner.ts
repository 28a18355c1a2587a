// Replaces the runner in a process for programs (operator/sandbox/program/inside/runner.ts), as if a program had escaped
// from all isolation within the process: each program runs as ordinary Node code, with all functions of Node. Its
// default export returns manifests.
import { runInThisContext } from "node:vm";
import { writeMessage } from "../../operator/sandbox/program/inside/messages.ts";
import { PipeReader, type ReceivedMessage } from "../../operator/sandbox/program/inside/pipe-reader.ts";

interface Program {
  readonly default: (inputs: unknown) => unknown;
}

const reader = new PipeReader(0);
let load = (): Program => ({ default: () => [] });

// The part of the harness that a bundle uses (inside/harness.ts).
Object.assign(globalThis, {
  __fairlead: {
    library: () => ({}),
    program: (given: () => Program) => {
      load = given;
    },
  },
});

async function handle({ header, parts }: ReceivedMessage): Promise<void> {
  switch (header.kind) {
    case "libraries":
      return writeMessage(1, { kind: "ready" });
    case "caches":
      return writeMessage(1, { kind: "caches" });
    case "program":
      return void runInThisContext(String(parts[0]));
    case "run":
      return writeMessage(1, { kind: "ran" }, [Buffer.from(await run(String(parts[0])))]);
  }
}

/** The program's answer in the format of inside/outcome.ts. */
async function run(request: string): Promise<string> {
  try {
    const { inputs } = JSON.parse(request) as { inputs?: unknown };
    const manifests = (await load().default(inputs)) as readonly object[];
    const head = { state: "collected", origins: manifests.map((_, index) => `object ${index}`), edges: [] };
    return [head, ...manifests].map((line) => JSON.stringify(line)).join("\n");
  } catch (thrown) {
    const { name, message, stack } = thrown as Error;
    return JSON.stringify({ state: "failed", doing: "run", error: { name, message, stack } });
  }
}

async function serve(): Promise<void> {
  for (;;) {
    const message = await reader.next();
    if (message === undefined) process.exit(0);
    await handle(message);
  }
}

void serve();
