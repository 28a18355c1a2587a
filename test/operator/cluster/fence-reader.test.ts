import { describe, expect, test } from "vitest";
import { readFence } from "../../../operator/cluster/fence-reader.ts";
import type { ApiRequest } from "../../../operator/cluster/transport.ts";

const name = "lead.ops.ownership";
const binding = { spec: { policyName: name, validationActions: ["Deny"] } };

/** An API server that has these policies and bindings, or responds with a status. */
function server(
  items: { readonly policies: readonly object[]; readonly bindings: readonly object[] } | number,
) {
  const paths: string[] = [];
  const send = async ({ path }: ApiRequest) => {
    paths.push(path);
    if (typeof items === "number") {
      const body = JSON.stringify({ kind: "Status", code: items, message: "no" });
      return { status: items, body, retryAfterMs: undefined };
    }
    const found = path.includes("validatingadmissionpolicybindings") ? items.bindings : items.policies;
    return { status: 200, body: JSON.stringify({ items: found }), retryAfterMs: undefined };
  };
  return { paths, send };
}

describe("readFence()", () => {
  test.for([
    {
      does: "finds a policy in force",
      items: { policies: [{}], bindings: [binding] },
      state: { state: "in-force" },
    },
    {
      does: "reports a missing policy",
      items: { policies: [], bindings: [binding] },
      state: { state: "missing", what: "policy" },
    },
    {
      does: "reports a missing binding",
      items: { policies: [{}], bindings: [] },
      state: { state: "missing", what: "binding" },
    },
    {
      does: "ignores a binding that only warns",
      items: {
        policies: [{}],
        bindings: [{ spec: { policyName: name, validationActions: ["Warn", "Audit"] } }],
      },
      state: { state: "missing", what: "binding" },
    },
    {
      does: "ignores a binding of another policy",
      items: { policies: [{}], bindings: [{ spec: { ...binding.spec, policyName: "other" } }] },
      state: { state: "missing", what: "binding" },
    },
    {
      does: "handles an API server without such policies",
      items: 404,
      state: { state: "missing", what: "policy" },
    },
    { does: "is unknown without permission", items: 403, state: { state: "unknown", why: "no" } },
  ])("$does", async ({ items, state }) => {
    const { send, paths } = server(items);
    expect(await readFence(name, { send })).toEqual(state);
    // RBAC allows a list of objects with this name, and of no others.
    for (const path of paths) expect(path).toMatch(/\?fieldSelector=metadata\.name%3Dlead\.ops\.ownership$/);
  });

  test("is unknown without a response", async () => {
    const send = () => Promise.reject(new Error("the API server cannot be reached"));
    expect(await readFence(name, { send })).toEqual({
      state: "unknown",
      why: "the API server cannot be reached",
    });
  });
});
