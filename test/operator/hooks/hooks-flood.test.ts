import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { aHookServer, aPush, secret, shopUrl, signed } from "./hook-server.ts";

const body = aPush();

/** Connections of untrusted senders, which send this much and then nothing more. */
async function strangers(address: string, count: number, text: string): Promise<readonly Socket[]> {
  const [host, port] = address.split(":");
  const sockets = Array.from({ length: count }, () => connect(Number(port), host));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.on("error", () => {});
  await Promise.all(
    sockets.map(async (socket) => {
      await once(socket, "connect");
      if (text !== "") await new Promise((resolve) => socket.write(text, resolve));
    }),
  );
  return sockets;
}

test("a signed hook is accepted while untrusted senders hold all connections", async () => {
  const server = await aHookServer();
  await strangers(server.address, 256, "");
  expect(await server.post(body, signed(body))).toMatchObject({ status: 202 });
  expect(server.refreshed).toContain(shopUrl);
});

test("a signed hook is accepted while untrusted senders send endless bodies", async () => {
  const server = await aHookServer();
  const head = `POST /hooks/shop HTTP/1.1\r\nHost: x\r\nX-Signature: ${"0".repeat(64)}\r\nContent-Length: 1048576\r\n\r\n`;
  await strangers(server.address, 9, head + "x".repeat(1_000_000));
  const large = JSON.stringify({ ...JSON.parse(body), more: "x".repeat(1_000_000) });
  expect(await server.post(large, signed(large, secret))).toMatchObject({ status: 202 });
  expect(server.refreshed).toContain(shopUrl);
});
