import { describe, expect, test } from "vitest";
import { ApiClient } from "../../../cli/release/api-client.ts";
import { findRelease } from "../../../cli/release/find-release.ts";
import { aRelease } from "./a-release.ts";
import { FakeApi } from "./fake-api.ts";

const root = "/apis/fairlead.dev/v1alpha1";
const path = (namespace: string, name: string) => `${root}/namespaces/${namespace}/releases/${name}`;

function find(
  text: string,
  names: readonly (readonly [namespace: string, name: string])[],
  forbidden: string[] = [],
) {
  const objects = names.map(
    ([namespace, name]) => [path(namespace, name), aRelease({ namespace, name })] as const,
  );
  const client = new ApiClient(new FakeApi(Object.fromEntries(objects), { forbidden }));
  return findRelease(text, { client, namespace: "shop" });
}

const names = [
  ["shop", "web"],
  ["shop", "web-admin"],
  ["shop", "database"],
  ["other", "cache"],
] as const;

describe("findRelease()", () => {
  test.for([
    { says: "web", means: "shop/web" },
    { says: "web-", means: "shop/web-admin" },
    { says: "data", means: "shop/database" },
    { says: "other/cache", means: "other/cache" },
  ])("resolves $says to $means", async ({ says, means }) => {
    const { metadata } = await find(says, names);
    expect(`${metadata.namespace}/${metadata.name}`).toBe(means);
  });

  test.for([
    { says: "we", why: /which Release "we" refers to in namespace "shop": web, web-admin$/ },
    {
      says: "shop",
      why: /Cannot find Release "shop": in namespace "shop" there are database, web, web-admin$/,
    },
    { says: "cache", why: /elsewhere there are other\/cache: use --namespace, or the full name$/ },
    { says: "empty/x", why: /there is no Release in namespace "empty"$/ },
    { says: "/x", why: /expected a name/ },
    { says: "", why: /expected a name/ },
  ])("lists the existing ones for $says", async ({ says, why }) => {
    await expect(find(says, names)).rejects.toThrow(why);
  });

  test("works without other namespaces if they may not be listed, and counts long lists", async () => {
    const many = Array.from({ length: 30 }, (_, index) => ["shop", `r${index + 10}`] as const);
    await expect(find("x", many, [`${root}/releases`])).rejects.toThrow(/r28, r29 and 10 more$/);
  });
});
