import { describe, expect, test } from "vitest";
import { createLogger, type LoggerOptions } from "../../../operator/telemetry/log.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

function aLog(options: Partial<LoggerOptions> & { isTTY?: boolean } = {}) {
  const lines: string[] = [];
  const destination = { isTTY: options.isTTY ?? false, write: (line: string) => lines.push(line) };
  const log = createLogger({ clock: new FakeClock(), destination, ...options });
  const records = (): Record<string, unknown>[] =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, records };
}

describe("createLogger()", () => {
  test("writes one JSON object per line without a terminal", () => {
    const { log, records } = aLog();
    log
      .child({ key: "shop/web" })
      .child({ reconcileID: "1" })
      .info("Applied", { objects: 3, nothing: undefined });
    expect(records()).toEqual([
      {
        level: "info",
        time: "2026-01-01T00:00:00.000Z",
        message: "Applied",
        key: "shop/web",
        reconcileID: "1",
        objects: 3,
      },
    ]);
  });

  test("writes text on a terminal, by default", () => {
    const text = aLog({ isTTY: true });
    text.log.warn("Cannot renew the lease", { holder: "web-1", note: "two words", count: 2, list: ["a"] });
    expect(text.lines).toEqual([
      '00:00:00.000 WARN  Cannot renew the lease  holder=web-1  note="two words"  count=2  list=["a"]\n',
    ]);
    const json = aLog({ isTTY: true, format: "json" });
    json.log.warn("x");
    expect(json.records()).toHaveLength(1);
    const piped = aLog({ format: "text" });
    piped.log.info("x");
    expect(piped.lines).toEqual(["00:00:00.000 INFO  x\n"]);
  });

  test.for([
    { level: "debug", seen: ["debug", "info", "warn", "error"] },
    { level: "info", seen: ["info", "warn", "error"] },
    { level: "warn", seen: ["warn", "error"] },
    { level: "error", seen: ["error"] },
  ] as const)("at level $level writes $seen", ({ level, seen }) => {
    for (const format of ["json", "text"] as const) {
      const { log, lines } = aLog({ level, format });
      for (const at of ["debug", "info", "warn", "error"] as const) log[at]("x");
      expect(lines).toHaveLength(seen.length);
    }
  });

  test("shows the whole chain of causes of an error", () => {
    const error = new Error("Cannot push", {
      cause: Object.assign(new TypeError("reset"), { code: "ECONNRESET" }),
    });
    const json = aLog();
    json.log.error("Publish failed", { error });
    expect(json.records()[0]).toMatchObject({
      error: {
        name: "Error",
        message: "Cannot push",
        stack: expect.stringContaining("log.test.ts"),
        cause: { name: "TypeError", message: "reset", code: "ECONNRESET" },
      },
    });
    const text = aLog({ format: "text" });
    text.log.error("Publish failed", { error });
    const [head, first, ...rest] = text.lines.join("").split("\n");
    expect(head).toBe("00:00:00.000 ERROR Publish failed");
    expect(first).toBe("    Error: Cannot push");
    expect(rest.some((line) => line === "    because of TypeError: reset")).toBe(true);
  });

  test.for(["json", "text"] as const)("never writes a secret (%s)", (format) => {
    const { log, lines } = aLog({ format });
    const secret = "hunter2";
    const url = `https://bot:${secret}@git.example.com/repo.git`;
    log.error(`Cannot clone ${url}`, {
      token: secret,
      authorization: secret,
      nested: { bearerToken: secret, list: [{ Authorization: `Bearer ${secret}` }] },
      credentials: { username: "bot", password: secret },
      header: `Authorization: Bearer ${secret}`,
      basic: `Basic ${secret}`,
      query: `https://example.com/?access_token=${secret}&page=1`,
      place: new URL(url),
      map: new Map([["password", secret]]),
      error: new AggregateError([new Error(url)], `clone of ${url} failed`, {
        cause: Object.assign(new Error("x"), { password: secret, args: ["clone", url] }),
      }),
    });
    log.child({ apiKey: secret }).info("x");
    expect(lines.join("")).not.toContain(secret);
    expect(lines.join("")).toContain("https://[redacted]@git.example.com/repo.git");
    expect(lines.join("")).toContain("page=1");
  });

  // Quadratic patterns take minutes for these texts, and the test runner aborts after 20 seconds.
  test.for(["a.", "?", "?token", "&key=", "x://", "Bearer "])(
    "reads a megabyte of %j in linear time",
    (words) => {
      const { log, lines } = aLog();
      log.info(words.repeat(1_000_000 / words.length), { text: `${words.repeat(200_000)}=` });
      expect(lines.join("").length).toBeLessThan(100_000);
    },
  );

  test("shows no part of a secret at the cut of a long text", () => {
    const { log, lines } = aLog();
    const secret = "0123456789".repeat(100);
    for (let before = 15_300; before < 16_400; before += 50)
      log.info(`${"x".repeat(before)}https://me:${secret}@host`);
    expect(lines.join("")).not.toContain("0123456789");
  });

  test("does not change text that is not secret", () => {
    const { log, records } = aLog();
    log.info("x", {
      url: "https://example.com/a@b",
      tokens: 3,
      name: "web",
      at: new Date(0),
      big: 12n,
      set: new Set([1]),
    });
    expect(records()[0]).toMatchObject({
      url: "https://example.com/a@b",
      tokens: 3,
      name: "web",
      at: "1970-01-01T00:00:00.000Z",
      big: "12",
      set: [1],
    });
  });

  test("handles a circular reference", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    const error: Error & { self?: Error } = new Error("x");
    error.self = error;
    error.cause = error;
    for (const format of ["json", "text"] as const) {
      const { log, lines } = aLog({ format });
      log.info("x", { loop, error });
      expect(lines).toHaveLength(1);
    }
  });
});
