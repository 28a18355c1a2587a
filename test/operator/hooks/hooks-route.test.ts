import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limitRuns } from "../../long.ts";
import { aHookServer, aPush, shopUrl, signed } from "./hook-server.ts";

/** Sends raw bytes, and returns the whole response until the connection ends, for any reason. */
async function sendRaw(address: string, bytes: string): Promise<string> {
  const [host = "", port = ""] = address.split(":");
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect(Number(port), host);
  socket.setEncoding("utf8").on("data", (text) => {
    answer += text;
  });
  // The connection of a sender with too large a body is closed after the response.
  socket.on("error", () => {}).on("close", () => resolve(answer));
  socket.write(bytes);
  return await promise;
}

describe("a hook", () => {
  test("polls every remote from which a Release reads the pushed repository, in any notation", async () => {
    const { post, refreshed, pushed, outcomes } = await aHookServer();
    const body = aPush("git@GIT.example.com:Shop/Web.git");
    expect(await post(body, signed(body))).toEqual({ status: 202, text: "accepted\n" });
    expect(refreshed).toEqual([shopUrl, "ssh://git@git.example.com/shop/web"]);
    expect(pushed).toEqual(["refs/heads/main", "refs/heads/main"]);
    expect(outcomes).toEqual(["accepted"]);
  });

  test("does nothing for a repository without a Release, and does not reveal that to the sender", async () => {
    const { post, refreshed, outcomes } = await aHookServer();
    const body = aPush("https://git.example.com/secret/one");
    expect(await post(body, signed(body))).toEqual({ status: 202, text: "accepted\n" });
    expect([refreshed, outcomes]).toEqual([[], ["unrelated"]]);
  });

  test("that is bound polls only its own repository, also if the sender names none", async () => {
    const { post, refreshed } = await aHookServer();
    const other = aPush("https://git.example.com/other/one");
    expect((await post(other, signed(other), "/hooks/bound")).status).toBe(202);
    expect(refreshed).toEqual([]);
    expect((await post("", signed(""), "/hooks/bound")).status).toBe(202);
    expect(refreshed).toEqual([shopUrl, "ssh://git@git.example.com/shop/web"]);
  });

  test("accepts a delivery once", async () => {
    const { post, refreshed, outcomes } = await aHookServer({ urls: [shopUrl] });
    const body = aPush();
    const headers = { ...signed(body), "x-github-delivery": "72d3162e" };
    expect([(await post(body, headers)).status, (await post(body, headers)).status]).toEqual([202, 202]);
    expect([refreshed, outcomes]).toEqual([[shopUrl], ["accepted", "repeated"]]);
  });

  test("answers an unknown name, a wrong signature and a missing one with the same text", async () => {
    const { post, refreshed, log } = await aHookServer();
    const body = aPush();
    const wrong = await post(body, signed(body, "another secret"));
    expect(wrong).toMatchObject({ status: 401 });
    expect(await post(body, signed(body), "/hooks/none")).toEqual(wrong);
    expect(await post(body)).toEqual(wrong);
    expect(await post(body, {}, "/hooks/none")).toEqual(wrong);
    expect(refreshed).toEqual([]);
    // An untrusted sender cannot fill the log.
    expect(log.messages("warn")).toEqual(["Refused webhooks"]);
  });

  test("reads no part of a body before its signature is verified", async () => {
    const { post, outcomes } = await aHookServer();
    expect((await post("{", signed("["))).status).toBe(401);
    expect((await post("{", signed("{"))).status).toBe(400);
    expect(outcomes).toEqual(["unsigned", "malformed"]);
  });

  test.for([
    "/",
    "/hooks",
    "/hooks/",
    "/hooks/shop/",
    "/hooks/shop?x=1",
    "/hooks/../hooks/shop/x",
    "/hooks/a.url",
    "/metrics",
  ])("is not at %s", async (path) => {
    const { post } = await aHookServer();
    const body = aPush();
    expect((await post(body, signed(body), path)).status).toBe(404);
  });

  test("accepts only POST", async () => {
    const { address, refreshed } = await aHookServer();
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      const response = await fetch(`http://${address}/hooks/shop`, { method, headers: signed("") });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    }
    expect(refreshed).toEqual([]);
  });
});

describe("a hook, with untrusted senders,", () => {
  test("closes the connection of a 1 GiB body at once, announced or not", async () => {
    const { address, outcomes } = await aHookServer();
    const head = "POST /hooks/shop HTTP/1.1\r\nHost: x\r\nX-Gitlab-Token: x\r\n";
    const announced = await sendRaw(address, `${head}Content-Length: 1073741824\r\n\r\nx`);
    expect(announced).toMatch(/^HTTP\/1.1 413 [\s\S]*larger than 1 MiB\n$/);
    const asked = await sendRaw(address, `${head}Expect: 100-continue\r\nContent-Length: 1073741824\r\n\r\n`);
    expect(asked).toMatch(/^HTTP\/1.1 413 /);
    const piece = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const streamed = await sendRaw(address, `${head}Transfer-Encoding: chunked\r\n\r\n${piece.repeat(40)}`);
    expect(streamed).toMatch(/^HTTP\/1.1 413 /);
    expect(outcomes).toEqual(["too-large", "too-large", "too-large"]);
  });

  test("reads no unsigned body", async () => {
    const { address } = await aHookServer();
    const head = "POST /hooks/shop HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n";
    expect(await sendRaw(address, head)).toMatch(/^HTTP\/1.1 401 /);
  });

  test("accepts a body after a request with Expect: 100-continue", async () => {
    const { address, outcomes } = await aHookServer();
    const { "x-hub-signature-256": signature } = signed("{}");
    const head = `POST /hooks/shop HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Hub-Signature-256: ${signature}\r\n`;
    const answer = await sendRaw(address, `${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`);
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 202 /);
    expect(outcomes).toEqual(["unrelated"]);
  });

  test("rejects endless headers", async () => {
    const { address } = await aHookServer();
    const head = `POST /hooks/shop HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(20_000)}`;
    expect(await sendRaw(address, head)).toMatch(/^HTTP\/1.1 431 /);
  });

  test("continues after any input, and polls nothing", async () => {
    const { post, refreshed, log } = await aHookServer();
    const names = [
      "x-hub-signature-256",
      "x-gitea-signature",
      "x-gitlab-token",
      "webhook-signature",
      "content-type",
      "x-github-delivery",
    ];
    const value = fc.oneof(fc.stringMatching(/^[!-~]{1,40}$/), fc.stringMatching(/^sha256=[0-9a-f]{64}$/));
    const headers = fc.dictionary(fc.constantFrom(...names), value);
    const path = fc.constantFrom("/hooks/shop", "/hooks/bound", "/hooks/none", "/hooks/%00", "//hooks/shop");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), headers, path, async (bytes, made, where) => {
        expect([401, 404]).toContain((await post(bytes, made, where)).status);
      }),
      { numRuns: limitRuns(100) },
    );
    expect(refreshed).toEqual([]);
    expect(log.messages("error")).toEqual([]);
  });

  test("accepts any signed body, and polls nothing that no Release uses", async () => {
    const { post, refreshed, log } = await aHookServer();
    const url = fc.oneof(
      fc.stringMatching(/^https:..[a-z./]{1,20}$/),
      fc.string(),
      fc.constant("https://git.example.com/shop/webx"),
    );
    const payload = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .record({ ref: fc.anything(), repository: fc.record({ clone_url: url, links: fc.anything() }) })
        .map((made) => JSON.stringify(made) ?? ""),
    );
    await fc.assert(
      fc.asyncProperty(payload, async (body) => {
        expect([202, 400]).toContain((await post(body, signed(body))).status);
      }),
      { numRuns: limitRuns(100) },
    );
    expect(refreshed).toEqual([]);
    expect(log.messages("error")).toEqual([]);
  });
});

describe("a hook of a standby", () => {
  test("passes signed requests on to the leader, once, and unchanged", async () => {
    const leading = await aHookServer({ urls: [shopUrl] });
    const standby = await aHookServer({ urls: [shopUrl], leader: () => ({ address: leading.address }) });
    const body = aPush();
    expect(await standby.post(body, signed(body))).toEqual({ status: 202, text: "accepted\n" });
    expect([leading.refreshed, standby.refreshed]).toEqual([[shopUrl], []]);
    expect((await standby.post(body, signed(body, "another"))).status).toBe(401);
    expect([leading.outcomes, standby.outcomes]).toEqual([["accepted"], ["passed-on", "unsigned"]]);
  });

  test("requests a retry from the sender if there is no leader, the leader is unreachable, or each instance considers the other one the leader", async () => {
    const body = aPush();
    const alone = await aHookServer({ leader: () => undefined });
    expect((await alone.post(body, signed(body))).status).toBe(503);
    const lost = await aHookServer({ leader: () => ({ address: "127.0.0.1:1" }) });
    expect((await lost.post(body, signed(body))).status).toBe(503);
    const one: Awaited<ReturnType<typeof aHookServer>> = await aHookServer({
      leader: () => ({ address: other.address }),
    });
    const other = await aHookServer({ leader: () => ({ address: one.address }) });
    expect((await one.post(body, signed(body))).status).toBe(503);
    expect([one.outcomes, other.outcomes]).toEqual([["no-leader"], ["no-leader"]]);
  });
});
