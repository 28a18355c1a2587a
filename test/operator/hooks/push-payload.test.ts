import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPush } from "../../../operator/hooks/push-payload.ts";

const read = (payload: unknown, contentType = "application/json") =>
  readPush(Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)), contentType);

describe("readPush()", () => {
  test.for([
    {
      from: "GitHub",
      payload: {
        ref: "refs/heads/main",
        repository: {
          clone_url: "https://h/o/r.git",
          ssh_url: "git@h:o/r.git",
          html_url: "https://h/o/r",
          id: 1,
        },
        sender: { url: "https://h/somebody" },
      },
      urls: ["https://h/o/r.git", "git@h:o/r.git", "https://h/o/r"],
    },
    {
      from: "GitLab",
      payload: {
        ref: "refs/heads/main",
        project: {
          git_ssh_url: "git@h:o/r.git",
          git_http_url: "https://h/o/r.git",
          web_url: "https://h/o/r",
        },
        repository: { homepage: "https://h/o/r" },
      },
      urls: ["https://h/o/r", "https://h/o/r.git", "git@h:o/r.git"],
    },
    {
      from: "Bitbucket",
      payload: {
        ref: "refs/heads/main",
        repository: { links: { html: { href: "https://h/o/r" }, clone: [{ href: "ssh://h/r" }] } },
      },
      urls: ["https://h/o/r", "ssh://h/r"],
    },
    { from: "a script", payload: { ref: "refs/heads/main", url: "https://h/o/r" }, urls: ["https://h/o/r"] },
  ])("parses the payload of $from", ({ payload, urls }) => {
    expect(new Set(read(payload)?.urls)).toEqual(new Set(urls));
    expect(read(payload)?.ref).toBe("refs/heads/main");
    const form = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    expect(read(form, "application/x-www-form-urlencoded; charset=utf-8")).toEqual(read(payload));
  });

  test("finds no repository in an empty body", () => {
    expect(read("")).toEqual({ urls: [], ref: undefined });
    expect(read("", "application/x-www-form-urlencoded")).toEqual({ urls: [], ref: undefined });
  });

  test.for(["{", "[]", "null", "7", '"x"', "hello", "{}x"])("cannot read %s", (text) => {
    expect(read(text)).toBeUndefined();
  });

  test("ignores other fields, and values that are not texts", () => {
    const payload = { ref: 7, repository: { clone_url: 7, url: ["x"], links: "x" }, project: [{ url: "x" }] };
    expect(read(payload)).toEqual({ urls: [], ref: undefined });
    expect(read({ ref: "r".repeat(300), url: "u".repeat(3_000) })).toEqual({ urls: [], ref: undefined });
    expect(
      read('{"__proto__":{"url":"https://h/x"},"repository":{"__proto__":{"url":"https://h/x"}}}')?.urls,
    ).toEqual([]);
  });

  test("rejects payloads that take long to parse, and parses those of large pushes", () => {
    const half = 500_000;
    expect(read(`${"[".repeat(half)}${"]".repeat(half)}`)).toBeUndefined();
    expect(read(`{"repository":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`)).toBeUndefined();
    const keys = (count: number): string =>
      `{"url":"https://h/x",${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;
    expect(read(keys(49_999))?.urls).toEqual(["https://h/x"]);
    expect(read(keys(50_000))).toBeUndefined();
    expect(read(`{"url":"https://h/x","list":[${"0,".repeat(240_000)}0]}`)?.urls).toEqual(["https://h/x"]);
    expect(read(`{"url":"https://h/x","list":[${"0,".repeat(250_000)}0]}`)).toBeUndefined();
  });

  test("never throws, for any input", () => {
    const types = fc.constantFrom(
      undefined,
      "application/json",
      "application/x-www-form-urlencoded",
      "text/plain",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.json().map((text) => Buffer.from(text)),
        ),
        types,
        (bytes, type) => {
          const push = readPush(Buffer.from(bytes), type);
          for (const url of push?.urls ?? []) expect(typeof url).toBe("string");
        },
      ),
    );
  });

  test("reads a form of many fields in linear time", () => {
    // URLSearchParams takes minutes for it, and the test runner aborts after 20 seconds.
    const form = `${"/&".repeat(2_000_000)}payload=%7B%22ref%22:+%22refs/heads/a%22%7D&x`;
    expect(read(form, "application/x-www-form-urlencoded")).toEqual({ urls: [], ref: "refs/heads/a" });
  });

  test("rejects a payload with an invalid encoding", () => {
    expect(read("payload=%7B%", "application/x-www-form-urlencoded")).toBeUndefined();
  });
});
