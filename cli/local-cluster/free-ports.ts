import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { PORT_NAMES, type Ports } from "./component-arguments.ts";

/** Below the range of ephemeral ports: a port must still be free when its program restarts. */
const [FIRST_PORT, PORT_COUNT] = [20_000, 12_000];

/**
 * Finds free loopback ports.
 *
 * @param random Numbers in [0, 1).
 */
export async function findFreePorts(random: () => number = Math.random): Promise<Ports> {
  const servers: Server[] = [];
  const ports: Partial<Record<keyof Ports, number>> = {};
  try {
    for (const name of PORT_NAMES) {
      const server = await listenSomewhere(random);
      // All sockets stay open until the end, so that no port is returned twice.
      servers.push(server);
      const address = server.address();
      if (address !== null && typeof address === "object") ports[name] = address.port;
    }
  } finally {
    await Promise.all(servers.map(close));
  }
  return ports as Ports;
}

async function listenSomewhere(random: () => number): Promise<Server> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const server = createServer();
    try {
      server.listen(FIRST_PORT + Math.floor(random() * PORT_COUNT), "127.0.0.1");
      await once(server, "listening");
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
  throw new Error("No free loopback port after 100 attempts");
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}
