import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import {
  type BodyReaderOptions,
  type BodyResult,
  createBodyReader,
} from "../../../operator/hooks/body-reader.ts";

/** A server that responds with the result of reading the body. */
async function aReader(options: BodyReaderOptions) {
  const readBody = createBodyReader(options);
  const results: BodyResult[] = [];
  let asked = 0;
  const server = createServer(async (request, response) => {
    asked++;
    const result = await readBody(request, response);
    results.push(result);
    response.setHeader("Connection", "close");
    response.end("body" in result ? `read ${result.body.toString("latin1")}` : result.refused);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = (head: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n\r\n`);
    return socket;
  };
  return { open, results, asked: () => asked };
}

test("a body in pieces of one byte is read unchanged", async () => {
  const { open } = await aReader({ mostBytes: 100 });
  const socket = open("Transfer-Encoding: chunked");
  socket.write(`${[..."hello"].map((letter) => `1\r\n${letter}\r\n`).join("")}0\r\n\r\n`);
  expect(await readAll(socket)).toMatch(/\r\n\r\n.*read hello/s);
});

test("a body that is one byte too large is not read", async () => {
  const { open } = await aReader({ mostBytes: 4 });
  const fits = open("Content-Length: 4");
  fits.write("1234");
  expect(await readAll(fits)).toMatch(/read 1234/);
  expect(await readAll(open("Content-Length: 5"))).toMatch(/too-large/);
});

test("endless bodies are dropped for a later one, the oldest first", async () => {
  const { open, results, asked } = await aReader({ mostBytes: 100, mostBytesAtOnce: 250 });
  const patience = { timeout: 60_000 };
  const held = [];
  for (const count of [1, 2]) {
    const socket = open("Content-Length: 100");
    socket.write("x");
    held.push(readAll(socket));
    await expect.poll(asked, patience).toBe(count);
  }
  const next = open("Content-Length: 100");
  next.write("y".repeat(100));
  expect(await readAll(next)).toMatch(/read y{100}/);
  expect(await held[0]).toMatch(/busy/);
  expect(results).toHaveLength(2);
}, 120_000);

test("a body that exceeds the memory limit by itself is rejected", async () => {
  const { open } = await aReader({ mostBytes: 100, mostBytesAtOnce: 50 });
  expect(await readAll(open("Content-Length: 100"))).toMatch(/busy/);
});

test("memory is released when a body is aborted", async () => {
  const { open, results, asked } = await aReader({ mostBytes: 100, mostBytesAtOnce: 100 });
  const held = open("Content-Length: 100");
  await expect.poll(asked, { timeout: 60_000 }).toBe(1);
  held.destroy();
  await expect.poll(() => results, { timeout: 60_000 }).toEqual([{ refused: "broken" }]);
  const next = open("Content-Length: 100");
  next.write("y".repeat(100));
  expect(await readAll(next)).toMatch(/read y{100}/);
}, 120_000);
