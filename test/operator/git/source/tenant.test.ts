import { expect, test } from "vitest";
import { tenantOf } from "../../../../operator/git/source/tenant.ts";

const url = "https://git.example.dev/x";
const secret = (data: Record<string, string>) => new Map(Object.entries(data));

test("tenantOf() differs with the URL and with every entry that counts, and with nothing else", () => {
  const all = [
    tenantOf(url, undefined),
    tenantOf(`${url}/`, undefined),
    tenantOf(url, secret({ username: "a", password: "b" })),
    tenantOf(url, secret({ username: "ab", password: "" })),
    tenantOf(url, secret({ username: "", password: "ab" })),
    tenantOf(url, secret({ bearerToken: "b" })),
    tenantOf(url, secret({ "ca.crt": "b" })),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(tenantOf(url, secret({ password: "b", username: "a", note: "x" }))).toBe(all[2]);
});
