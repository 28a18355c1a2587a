import { removeSocket, serveZone, type ZoneServerOptions } from "./zone-server.ts";

export interface ZoneWorkerOptions extends Omit<ZoneServerOptions, "socket"> {
  /** Path of the Unix socket to listen on. */
  readonly socket: string;
  /** Descriptor of that socket, if the launcher has created it. */
  readonly descriptor: string | undefined;
  /** Ends the work of the zone. */
  readonly close: () => Promise<void>;
}

/** The heartbeat for the parent process (zone-process.ts). */
const SIGN_OF_LIFE_MS = 1_000;
/** Time for ending the work of the zone: git processes get SIGTERM, and SIGKILL after 2 s. */
const END_MS = 2_500;

/**
 * Serves the operator in a process of a zone. It ends when its standard input is closed: the parent process has ended,
 * or requests it.
 */
export async function serveAsWorker(options: ZoneWorkerOptions): Promise<void> {
  const { socket, descriptor, close, ...server } = options;
  async function end(): Promise<void> {
    setTimeout(() => process.exit(0), END_MS);
    // The operator ended, perhaps killed: the socket that it would have removed is left to this process.
    if (descriptor === undefined) removeSocket(socket);
    await close();
    process.exit(0);
  }
  process.stdin.on("end", () => void end()).resume();
  // A terminal sends these signals to all processes of the operator. The operator ends this process when it ends.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  setInterval(() => process.stdout.write("."), SIGN_OF_LIFE_MS);
  process.stdout.write(".");
  await serveZone({ ...server, socket: descriptor === undefined ? socket : Number(descriptor) });
}
