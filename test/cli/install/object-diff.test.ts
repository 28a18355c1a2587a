import { expect, test } from "vitest";
import { diffOf } from "../../../cli/install/object-diff.ts";

test("diffOf() shows the fields that change, and nothing that the server writes", () => {
  const metadata = { name: "fairlead", namespace: "ops" };
  const before = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas: 2 } };
  const after = {
    ...before,
    metadata: { ...metadata, resourceVersion: "7", generation: 3 },
    spec: { replicas: 3 },
  };
  expect(diffOf({ ...before, status: { replicas: 2 } }, after)).toBe(
    [
      "--- live/Deployment ops/fairlead",
      "+++ installed/Deployment ops/fairlead",
      "@@ -4,4 +4,4 @@",
      '   name: "fairlead"',
      '   namespace: "ops"',
      " spec:",
      "-  replicas: 2",
      "+  replicas: 3",
    ]
      .join("\n")
      .replaceAll('"', ""),
  );
});
