import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sendLoopback } from "../../../cli/local-cluster/loopback-request.ts";

/** A server that responds at /quick, and to no other request. */
async function aServer(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === "/quick") response.end("here");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("sendLoopback() returns the response of the server", async () => {
  expect(await sendLoopback(`${await aServer()}/quick`)).toEqual({ status: 200, text: "here" });
});

test("sendLoopback() reports the URL without a response, and the timeout", async () => {
  const url = `${await aServer()}/never`;
  await expect(sendLoopback(url, { timeoutMs: 50 })).rejects.toThrow(`No answer from ${url} within 0.05 s`);
});
