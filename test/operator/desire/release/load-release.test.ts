import { describe, expect, test } from "vitest";
import { accountOf } from "../../../../operator/desire/release/load-release.ts";
import { limitsOf } from "../../../fakes/releases.ts";

describe("accountOf()", () => {
  const byPolicy = limitsOf({}, { serviceAccountName: "tenant" }, { serviceAccountName: "other" });
  test.for([
    { does: "is the operator by default", spec: {}, limits: [], name: undefined },
    {
      does: "is the one in the Release's spec",
      spec: { target: { serviceAccountName: "own" } },
      limits: byPolicy,
      name: "own",
    },
    { does: "is the first default", spec: { target: {} }, limits: byPolicy, name: "tenant" },
    { does: "is the default for a spec without a target", spec: undefined, limits: byPolicy, name: "tenant" },
  ])("$does", ({ spec, limits, name }) => {
    const account = accountOf({ metadata: { namespace: "shop" }, spec }, limits);
    expect(account).toEqual(name && { namespace: "shop", serviceAccountName: name });
  });
});
