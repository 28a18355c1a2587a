import { afterEach, describe, expect, test } from "vitest";
import { type HttpServer, ListenError, serveHttp } from "../../../operator/runtime/http-server.ts";
import { type Checks, probeRoute } from "../../../operator/runtime/probes.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(
  route: Parameters<typeof serveHttp>[1],
  log = new RecordingLogger(),
): Promise<HttpServer> {
  const server = await serveHttp("127.0.0.1:0", route, { log });
  if (server === undefined) throw new Error("Nothing is served");
  servers.push(server);
  return server;
}

async function ask(path: string, { healthz = {}, readyz = {} }: { healthz?: Checks; readyz?: Checks } = {}) {
  const log = new RecordingLogger();
  const { address } = await serve(probeRoute({ healthz, readyz, log }));
  const response = await fetch(`http://${address}${path}`);
  return { status: response.status, body: await response.text(), log, headers: response.headers };
}

const bad = (): never => {
  throw new Error("password is hunter2");
};
const checks: Checks = { stores: () => {}, lease: bad };

describe("probes", () => {
  test("answer ok when all checks pass, also without a check", async () => {
    expect(await ask("/healthz")).toMatchObject({ status: 200, body: "ok" });
    expect(await ask("/readyz", { readyz: { stores: async () => {} } })).toMatchObject({
      status: 200,
      body: "ok",
    });
  });

  test("list their checks on request", async () => {
    const { body } = await ask("/healthz?verbose");
    expect(body).toBe("[+]ping ok\nhealthz check passed\n");
  });

  test("fail with 500 and withhold the reason, which the log contains", async () => {
    const { status, body, log } = await ask("/readyz", { readyz: checks });
    expect(status).toBe(500);
    expect(body).toBe("[+]stores ok\n[-]lease failed: reason withheld\nreadyz check failed\n");
    const fields = { probe: "readyz", check: "lease", why: "password is hunter2" };
    expect(log.entries).toEqual([{ level: "warn", message: "A health check failed", fields }]);
  });

  test("log once that a check fails, and once that it passes again", async () => {
    const log = new RecordingLogger();
    let why: string | undefined = "not listed yet: a, b";
    const sources = (): void => {
      if (why !== undefined) throw new Error(why);
    };
    const { address } = await serve(probeRoute({ healthz: {}, readyz: { sources }, log }));
    const probe = async (...paths: readonly string[]) => {
      for (const path of paths) await fetch(`http://${address}${path}`);
    };
    await probe("/readyz", "/readyz", "/readyz/sources");
    why = "not listed yet: b";
    await probe("/readyz", "/readyz");
    why = undefined;
    await probe("/readyz", "/readyz");
    expect(log.entries.map(({ message }) => message)).toEqual([
      "A health check failed",
      "A health check failed",
      "A health check passes again",
    ]);
  });

  test("omit excluded checks, and report unknown exclusions", async () => {
    const { status, body } = await ask("/readyz?exclude=lease&exclude=nothing&verbose=1", { readyz: checks });
    expect(status).toBe(200);
    expect(body).toBe(
      "[+]stores ok\n[+]lease excluded: ok\n" +
        'warn: some health checks cannot be excluded: no matches for "nothing"\nreadyz check passed\n',
    );
  });

  test("answer for a single check", async () => {
    expect(await ask("/readyz/stores", { readyz: checks })).toMatchObject({ status: 200, body: "ok" });
    expect(await ask("/readyz/lease", { readyz: checks })).toMatchObject({ status: 500 });
    expect(await ask("/readyz/other", { readyz: checks })).toMatchObject({ status: 404 });
  });

  test("distinguish healthz from readyz", async () => {
    expect(await ask("/healthz", { readyz: checks })).toMatchObject({ status: 200 });
    expect(await ask("/livez", { readyz: checks })).toMatchObject({ status: 404 });
    expect(await ask("/readyz/a/b", { readyz: checks })).toMatchObject({ status: 404 });
  });
});

describe("serveHttp()", () => {
  test("serves nothing on address 0", async () => {
    expect(await serveHttp("0", () => undefined, { log: new RecordingLogger() })).toBeUndefined();
  });

  test("reports which address is in use", async () => {
    const { address } = await serve(() => undefined);
    const second = serveHttp(address, () => undefined, { log: new RecordingLogger() });
    await expect(second).rejects.toThrow(ListenError);
    await expect(second).rejects.toThrow(`Cannot listen on "${address}": another program listens there`);
  });

  test("answers only GET and HEAD, and continues after a route that fails", async () => {
    const log = new RecordingLogger();
    const { address } = await serve(({ pathname }) => {
      if (pathname === "/fails") throw new Error("no");
      return { status: 200, body: "hello" };
    }, log);
    expect((await fetch(`http://${address}/`, { method: "POST" })).status).toBe(405);
    const head = await fetch(`http://${address}/`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await fetch(`http://${address}/fails`)).status).toBe(500);
    expect(log.messages("error")).toEqual(["Cannot answer an HTTP request"]);
    expect(await (await fetch(`http://${address}/`)).text()).toBe("hello");
  });

  test("closes although a client keeps its connection", async () => {
    const server = await serveHttp("127.0.0.1:0", () => ({ status: 200, body: "" }), {
      log: new RecordingLogger(),
    });
    await (await fetch(`http://${server?.address}/`)).text();
    await server?.close();
    await expect(fetch(`http://${server?.address}/`)).rejects.toThrow();
  });
});
