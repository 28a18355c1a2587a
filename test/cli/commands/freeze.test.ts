import { expect, test } from "vitest";
import { type FreezeFlags, runFreeze } from "../../../cli/commands/freeze.ts";

test.for<{ flags: FreezeFlags; says: RegExp }>([
  {
    flags: { until: "2026-11-23T09:59:59Z" },
    says: /^Cannot freeze until 2026-11-23T09:59:59Z: that has passed$/,
  },
  {
    flags: { until: "2026-11-23T10:59+01:00" },
    says: /^Cannot freeze until 2026-11-23T10:59:00\+01:00: that has passed$/,
  },
  { flags: { until: "2026-13-23T10:59Z" }, says: /^Cannot use --until "2026-13-23T10:59Z": expected/ },
  {
    flags: { until: "tomorrow" },
    says: /^Cannot use --until "tomorrow": expected an instant such as 2026-12-01T08:00:00Z/,
  },
  { flags: { for: "0s" }, says: /^Cannot use --for "0s": expected a duration such as 90m or 8h$/ },
  { flags: { for: "soon" }, says: /^Cannot use --for "soon": expected a duration/ },
  { flags: { for: "8h", until: "2026-11-24T00:00:00Z" }, says: /^Cannot freeze: use either/ },
])("freeze is refused before a cluster is contacted: $says", async ({ flags, says }) => {
  const all = {
    kubeconfig: "/nonexistent",
    reason: "sale",
    ...flags,
    nowMs: Date.parse("2026-11-23T10:00:00Z"),
  };
  await expect(runFreeze("shop", all, { print: () => {} })).rejects.toThrow(says);
});
