import { expect, test } from "vitest";
import { formatAddress, parseBindAddress } from "../../../operator/runtime/http-server.ts";

test.for([
  { text: ":8080", bind: { host: undefined, port: 8080 } },
  { text: "127.0.0.1:8080", bind: { host: "127.0.0.1", port: 8080 } },
  { text: "localhost:0", bind: { host: "localhost", port: 0 } },
  { text: "[::1]:8081", bind: { host: "::1", port: 8081 } },
  { text: "0", bind: undefined },
  { text: "", bind: undefined },
])('parseBindAddress() reads "$text"', ({ text, bind }) => {
  expect(parseBindAddress(text)).toEqual(bind);
});

test.for(["8080", "host", ":", ":99999", "::1:80", "[::1]", ":80x"])(
  'parseBindAddress() refuses "%s"',
  (text) => {
    expect(() => parseBindAddress(text)).toThrow(`Cannot listen on "${text}"`);
  },
);

test("formatAddress() puts an IPv6 address into brackets", () => {
  expect(formatAddress({ address: "::1", family: "IPv6", port: 80 })).toBe("[::1]:80");
  expect(formatAddress({ address: "127.0.0.1", family: "IPv4", port: 80 })).toBe("127.0.0.1:80");
});
