import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { ZoneUnavailableError } from "../../../operator/zones/errors.ts";
import type { Link } from "../../../operator/zones/link.ts";
import { ZoneClient } from "../../../operator/zones/zone-client.ts";
import { serveZone, type ZoneServer } from "../../../operator/zones/zone-server.ts";
import { wideLimits } from "../../fakes/link-pair.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { patienceMs } from "../../patience.ts";

const link = { clock: systemClock(), zone: "test", limits: wideLimits };
const options = { read: ({ body }: { readonly body: unknown }) => body, deadlineMs: 60_000 };
const withinMs = 10_000;

async function aSocket(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-zone-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "test.sock");
}

async function aServer(socket: string): Promise<ZoneServer> {
  const server = await serveZone({ ...link, socket, serve: async ({ name }) => ({ body: name }) });
  onTestFinished(() => server.close());
  return server;
}

function aClient(socket: string, onConnect: (link: Link) => void = () => undefined): ZoneClient {
  const log = new RecordingLogger();
  const client = new ZoneClient({ ...link, socket, random: () => 0, log, onConnect });
  onTestFinished(() => client.close());
  return client;
}

describe("ZoneClient", () => {
  test("waits for a zone that has not started", async () => {
    const socket = await aSocket();
    const connecting = aClient(socket).link({ withinMs });
    await aServer(socket);
    expect(await (await connecting).request("hi", { body: {} }, options)).toBe("hi");
  });

  test("shares one connection, and opens another one after a restart of the zone", async () => {
    const socket = await aSocket();
    const server = await aServer(socket);
    const client = aClient(socket);
    const [one, other] = await Promise.all([client.link({ withinMs }), client.link({ withinMs })]);
    expect(one).toBe(other);
    server.close();
    await one.closed;
    await aServer(socket);
    const next = await client.link({ withinMs });
    expect(await next.request("again", { body: {} }, options)).toBe("again");
  });

  test("keeps a connection on request, and opens none after it was closed", async () => {
    const socket = await aSocket();
    const links: Link[] = [];
    const client = aClient(socket, (link) => void links.push(link));
    const kept = client.keep();
    const server = await aServer(socket);
    await vi.waitUntil(() => links.length === 1, patienceMs);
    server.close();
    await links[0]?.closed;
    await aServer(socket);
    await vi.waitUntil(() => links.length === 2, patienceMs);
    client.close();
    await kept;
    expect(links.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  test("fails if no zone responds in time", async () => {
    const client = aClient(await aSocket());
    await expect(client.link({ withinMs: 1 })).rejects.toBeInstanceOf(ZoneUnavailableError);
    client.close();
    await expect(client.link({ withinMs })).rejects.toBeInstanceOf(ZoneUnavailableError);
  });
});

describe("serveZone()", () => {
  test("rejects a second connection while there is one", async () => {
    const socket = await aSocket();
    await aServer(socket);
    const first = await aClient(socket).link({ withinMs });
    const second = connect(socket).resume();
    await once(second, "close");
    expect(await first.request("hi", { body: {} }, options)).toBe("hi");
  });
});
