import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join, normalize } from "node:path";
import ssh2, { type AuthContext, type ParsedKey, type ServerChannel, type Session } from "ssh2";
import { aSshKey } from "./ssh-key.ts";

/** One command of an accepted client. */
export interface SshCommand {
  readonly command: string;
  /** The value of `GIT_PROTOCOL` that git's client requested. */
  readonly protocol: string | undefined;
}

/** A git host over ssh on loopback, with the behaviour of OpenSSH: one user, one key, and only git's two commands. */
export class FakeSshServer implements AsyncDisposable {
  /** The accepted private key, in OpenSSH's format. */
  readonly identity: string;
  /** All requested commands, in order. */
  readonly commands: SshCommand[] = [];
  readonly #root: string;
  readonly #allowed: ParsedKey;
  readonly #sockets = new Set<Socket>();
  readonly #running = new Set<ChildProcess>();
  readonly #listener: Server;
  #host = aSshKey();
  #letsIn = true;
  #offers = 0;

  private constructor(root: string) {
    const { identity } = aSshKey();
    this.#root = root;
    this.identity = identity;
    this.#allowed = parsed(identity);
    this.#listener = createServer({ noDelay: true }, (socket) => this.#speakTo(socket));
  }

  /** @param root Folder with bare repositories. */
  static async start(root: string): Promise<FakeSshServer> {
    const server = new FakeSshServer(root);
    server.#listener.listen(0, "127.0.0.1");
    await once(server.#listener, "listening");
    return server;
  }

  /** How often a client offered a key, whether it was accepted or not. */
  get offers(): number {
    return this.#offers;
  }

  /** The line of a known_hosts file for the host's current key. */
  get knownHosts(): string {
    return `[127.0.0.1]:${this.#port} ${this.#host.publicKey}`;
  }

  /** The operator's configuration for it. */
  get credentials(): { readonly identity: string; readonly known_hosts: string } {
    return { identity: this.identity, known_hosts: this.knownHosts };
  }

  get #port(): number {
    const address = this.#listener.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  /** @param path Of a repository, from the root. */
  url(path: string): string {
    return `ssh://git@127.0.0.1:${this.#port}/${path}`;
  }

  /** From the next connection on it has another host key. */
  rotateHostKey(): void {
    this.#host = aSshKey();
  }

  /** From the next connection on every client is rejected. */
  refuseKeys(): void {
    this.#letsIn = false;
  }

  acceptKeys(): void {
    this.#letsIn = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running) child.kill("SIGKILL");
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => void this.#listener.close(() => resolve()));
  }

  /** A server object per connection, because the library accepts host keys only once. */
  #speakTo(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => void this.#sockets.delete(socket));
    const protocol = new ssh2.Server({ hostKeys: [this.#host.identity] }, (connection) => {
      // A client that does not trust the host closes the connection early.
      connection.on("error", () => undefined);
      connection.on("authentication", (attempt) => this.#decide(attempt));
      connection.on("session", (accept) => this.#serve(accept()));
    });
    protocol.injectSocket(socket);
  }

  #decide(attempt: AuthContext): void {
    if (attempt.method === "publickey") this.#offers += 1;
    if (this.#letsIn && attempt.username === "git" && this.#holdsKey(attempt)) attempt.accept();
    else attempt.reject(["publickey"]);
  }

  /** A client first queries whether a key is accepted, and then signs. */
  #holdsKey(attempt: AuthContext): boolean {
    if (attempt.method !== "publickey") return false;
    const { key, blob, signature, hashAlgo } = attempt;
    if (!this.#allowed.getPublicSSH().equals(key.data)) return false;
    if (signature === undefined || blob === undefined) return true;
    return this.#allowed.verify(blob, signature, hashAlgo) === true;
  }

  #serve(session: Session): void {
    let protocol: string | undefined;
    session.on("env", (accept, reject, { key, val }) => {
      if (key !== "GIT_PROTOCOL") return reject?.();
      protocol = val;
      accept?.();
    });
    session.on("exec", (accept, _reject, { command }) => {
      this.commands.push({ command, protocol });
      this.#run(accept(), { command, protocol });
    });
  }

  #run(channel: ServerChannel, { command, protocol }: SshCommand): void {
    const [, program, path] = /^git-(upload-pack|receive-pack) '\/([^'!]+)'$/.exec(command) ?? [];
    if (program === undefined || path === undefined || normalize(path).startsWith("..")) {
      channel.stderr.write(`not a command of git: ${command}\n`);
      channel.exit(128);
      channel.end();
      return;
    }
    const child = spawn("git", [program, join(this.#root, path)], {
      env: {
        PATH: process.env["PATH"],
        HOME: this.#root,
        GIT_CONFIG_NOSYSTEM: "1",
        ...(protocol !== undefined && { GIT_PROTOCOL: protocol }),
      },
    });
    this.#running.add(child);
    channel.pipe(child.stdin);
    child.stdin.on("error", () => undefined); // It may end before it has read all.
    child.stdout.pipe(channel, { end: false });
    child.stderr.pipe(channel.stderr, { end: false });
    channel.on("close", () => void child.kill());
    child.on("close", (code, signal) => {
      this.#running.delete(child);
      if (signal === null) channel.exit(code ?? 1);
      else channel.exit(signal);
      channel.end();
    });
  }
}

function parsed(identity: string): ParsedKey {
  const result = ssh2.utils.parseKey(identity);
  if (result instanceof Error) throw result;
  return result;
}
