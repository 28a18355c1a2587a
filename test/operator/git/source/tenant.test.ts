import { expect, test } from "vitest";
import { namespaceIn } from "../../../../crds/object.ts";
import { groupKindIn, keyIn, sourceKeyOf, tenantOf } from "../../../../operator/git/source/tenant.ts";

const url = "https://git.example.dev/x";
const secret = (data: Record<string, string>) => new Map(Object.entries(data));

test("tenantOf() differs with the URL and with every relevant entry, and with nothing else", () => {
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

test("a key contains its kind, and is not the key of a resource of another kind", () => {
  const keys = ["a.example.dev", "b.example.dev"].map((groupKind) => sourceKeyOf("shop/web", groupKind));
  expect(new Set([...keys, "shop/web"]).size).toBe(3);
  expect(keys.map(groupKindIn)).toEqual(["a.example.dev", "b.example.dev"]);
  expect(keys.map(keyIn)).toEqual(["shop/web", "shop/web"]);
  expect(keys.map(namespaceIn)).toEqual(["shop", "shop"]);
  expect([groupKindIn("shop/web"), keyIn("shop/web")]).toEqual(["", "shop/web"]);
});
