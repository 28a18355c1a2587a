import { expect, test } from "vitest";
import { keyOf, namespaceIn } from "../../crds/object.ts";

test.for([
  { metadata: { namespace: "shop", name: "web" }, namespace: "shop" },
  { metadata: { name: "web" }, namespace: "" },
])("namespaceIn() finds the namespace in a key: $namespace", ({ metadata, namespace }) => {
  expect(namespaceIn(keyOf({ metadata }))).toBe(namespace);
});
