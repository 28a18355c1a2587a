import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { nodeFlags } from "../../cli/image/node-flags.ts";
import type { ApiProxy } from "./proxy.ts";

export interface OperatorProcessOptions {
  readonly slot: 0 | 1;
  readonly folder: string;
  readonly program: string;
  readonly preload: string;
  readonly proxy: ApiProxy;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** Delay before the supervisor restarts an operator. */
const restartMs = 100;

/** One of the two operators, and the supervisor that restarts it when it ends. */
export class OperatorProcess {
  readonly slot: 0 | 1;
  /** Log lines of all its processes. */
  readonly log: string[] = [];
  readonly #options: OperatorProcessOptions;
  #child: ChildProcess | undefined;
  #starts = 0;
  #offsetMs = 0;
  #wanted = false;
  #supervising: Promise<void> | undefined;

  constructor(options: OperatorProcessOptions) {
    this.slot = options.slot;
    this.#options = options;
  }

  get starts(): number {
    return this.#starts;
  }

  start(): void {
    this.#wanted = true;
    this.#supervising ??= this.#supervise();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Sets its wall clock, now and after restarts. */
  moveClock(offsetMs: number): void {
    this.#offsetMs = offsetMs;
    this.#sendClock();
  }

  /** Kills it. It is not restarted until `start()` is called. */
  async stop(): Promise<void> {
    this.#wanted = false;
    this.#child?.kill("SIGKILL");
    await this.#supervising;
    this.#supervising = undefined;
  }

  async #supervise(): Promise<void> {
    while (this.#wanted) {
      const child = await this.#spawn();
      this.#child = child;
      this.#sendClock();
      if (!this.#wanted) child.kill("SIGKILL");
      const [code, signal] = await once(child, "exit");
      this.log.push(JSON.stringify({ message: "The process ended", code, signal }));
      await new Promise((resolve) => setTimeout(resolve, restartMs));
    }
  }

  async #spawn(): Promise<ChildProcess> {
    const { slot, folder, program, preload, proxy, args, environment } = this.#options;
    this.#starts += 1;
    const name = `${slot}.${this.#starts}`;
    const token = crypto.randomUUID();
    proxy.admit(token, { slot, name });
    const kubeconfig = join(folder, `kubeconfig-${name}`);
    await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(proxy, token)), { mode: 0o600 });
    const flags = [...nodeFlags, "--import", preload];
    const off = ["--metrics-bind-address=0", "--health-probe-bind-address=0"];
    const child = spawn(
      process.execPath,
      [...flags, program, "run", `--kubeconfig=${kubeconfig}`, "--log-format=json", ...off, ...args],
      { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe", "ipc"] },
    );
    child.on("error", () => {});
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null)
        createInterface({ input: stream }).on("line", (line) => this.log.push(`${name} ${line}`));
    return child;
  }

  #sendClock(): void {
    // A process that has just ended receives the offset when it is restarted.
    if (this.#child?.connected) this.#child.send({ offsetMs: this.#offsetMs }, () => {});
  }
}

function kubeconfigOf(proxy: ApiProxy, token: string): object {
  const cluster = {
    server: proxy.url,
    "certificate-authority-data": Buffer.from(proxy.certificate).toString("base64"),
  };
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "faults", cluster }],
    users: [{ name: "operator", user: { token } }],
    contexts: [{ name: "faults", context: { cluster: "faults", user: "operator" } }],
    "current-context": "faults",
  };
}
