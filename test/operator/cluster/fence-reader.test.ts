import { describe, expect, test } from "vitest";
import { readFence } from "../../../operator/cluster/fence-reader.ts";
import type { ApiRequest } from "../../../operator/cluster/transport.ts";

const name = "lead.ops.ownership";
const binding = { spec: { policyName: name, validationActions: ["Deny"] } };

/** An API server that has these policies and bindings, or answers with a status. */
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
      does: "finds one in force",
      items: { policies: [{}], bindings: [binding] },
      state: { state: "in-force" },
    },
    {
      does: "misses the policy",
      items: { policies: [], bindings: [binding] },
      state: { state: "missing", what: "policy" },
    },
    {
      does: "misses the binding",
      items: { policies: [{}], bindings: [] },
      state: { state: "missing", what: "binding" },
    },
    {
      does: "takes one that only warns for none",
      items: {
        policies: [{}],
        bindings: [{ spec: { policyName: name, validationActions: ["Warn", "Audit"] } }],
      },
      state: { state: "missing", what: "binding" },
    },
    {
      does: "takes a binding of another policy for none",
      items: { policies: [{}], bindings: [{ spec: { ...binding.spec, policyName: "other" } }] },
      state: { state: "missing", what: "binding" },
    },
    {
      does: "knows an API server without such policies",
      items: 404,
      state: { state: "missing", what: "policy" },
    },
    { does: "is unknown without rights", items: 403, state: { state: "unknown", why: "no" } },
  ])("$does", async ({ items, state }) => {
    const { send, paths } = server(items);
    expect(await readFence(name, { send })).toEqual(state);
    // RBAC allows a list of what has this name, and no other.
    for (const path of paths) expect(path).toMatch(/\?fieldSelector=metadata\.name%3Dlead\.ops\.ownership$/);
  });

  test("is unknown when no answer comes", async () => {
    const send = () => Promise.reject(new Error("the API server cannot be reached"));
    expect(await readFence(name, { send })).toEqual({
      state: "unknown",
      why: "the API server cannot be reached",
    });
  });
});
