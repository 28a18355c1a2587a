import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type AttemptReport, attemptProgram, attempts, connections, type Outside } from "./node-attempts.ts";

/** The names of all attempts. */
export function attemptNames(): readonly string[] {
  const nowhere = { file: "", folder: "", tcpPort: 0, socket: "", abstractSocket: "", pid: 0 };
  return [...Object.keys(attempts(nowhere)), ...Object.keys(connections(nowhere))];
}

/** Files, servers and another process for the attempts. */
export class WorldOutside implements AsyncDisposable {
  readonly folder: string;
  readonly #other: ChildProcess;
  readonly #servers = ["tcp", "socket", "abstract"].map(() =>
    createServer((socket) => void socket.destroy()),
  );
  #outside: Outside | undefined;

  private constructor(folder: string) {
    this.folder = folder;
    this.#other = spawn("/bin/sleep", ["600"], { stdio: "ignore" });
  }

  static async open(): Promise<WorldOutside> {
    const folder = await mkdtemp(join(tmpdir(), "fairlead-isolation-"));
    await chmod(folder, 0o755);
    const world = new WorldOutside(folder);
    const [tcp, unix, abstract] = world.#servers;
    const socket = join(folder, "socket");
    const abstractSocket = `\0${folder}`;
    tcp?.listen(0, "127.0.0.1");
    unix?.listen(socket);
    abstract?.listen(abstractSocket);
    await Promise.all(world.#servers.map((server) => once(server, "listening")));
    await chmod(socket, 0o777);
    const address = tcp?.address();
    const tcpPort = typeof address === "object" && address !== null ? address.port : 0;
    const pid = world.#other.pid ?? 0;
    world.#outside = { file: "", folder: "", tcpPort, socket, abstractSocket, pid };
    return world;
  }

  /** Runs all attempts in Node, in a folder of this name, with the isolation of `wrap` or without any. */
  async attack(
    name: string,
    wrap: (
      command: string[],
    ) => readonly [file: string, words: string[], environment?: Readonly<Record<string, string>>],
  ): Promise<AttemptReport> {
    if (this.#outside === undefined) throw new Error("There is no world outside");
    const own = join(this.folder, name);
    await promisify(execFile)("mkdir", ["-m", "777", own]);
    for (const file of ["emptied", "deleted", "old", "secret"]) {
      await writeFile(join(own, file), "content");
      await chmod(join(own, file), 0o666);
    }
    const program = attemptProgram({ ...this.#outside, folder: own, file: join(own, "secret") });
    const [file, words, env = {}] = wrap([process.execPath, "-e", program]);
    const { stdout } = await promisify(execFile)(file, words, { cwd: "/", env });
    return JSON.parse(stdout) as AttemptReport;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#other.kill("SIGKILL");
    for (const server of this.#servers) server.close();
    await rm(this.folder, { recursive: true });
  }
}
