import { removeSocket, serveZone, type ZoneServerOptions } from "./zone-server.ts";

export interface ZoneWorkerOptions extends Omit<ZoneServerOptions, "socket"> {
  /** Path of the Unix socket to listen on. */
  readonly socket: string;
  /** Descriptor of that socket, where the launcher has made it. */
  readonly descriptor: string | undefined;
  /** Ends what runs in the zone. */
  readonly close: () => Promise<void>;
}

/** A sign of life for the process that started this one (zone-process.ts). */
const SIGN_OF_LIFE_MS = 1_000;
/** What runs here is ended in this time: git processes are asked to end, and killed after 2 s. */
const END_MS = 2_500;

/** Serves the operator in a process of a zone, which ends when its standard input ends: the one that started it has ended, or says so. */
export async function serveAsWorker(options: ZoneWorkerOptions): Promise<void> {
  const { socket, descriptor, close, ...server } = options;
  async function end(): Promise<void> {
    setTimeout(() => process.exit(0), END_MS);
    // The operator ended, perhaps killed: then a socket that this process has made is left to it.
    if (descriptor === undefined) removeSocket(socket);
    await close();
    process.exit(0);
  }
  process.stdin.on("end", () => void end()).resume();
  // A terminal sends these to all processes of the operator. It ends this one when it ends.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  setInterval(() => process.stdout.write("."), SIGN_OF_LIFE_MS);
  process.stdout.write(".");
  await serveZone({ ...server, socket: descriptor === undefined ? socket : Number(descriptor) });
}
