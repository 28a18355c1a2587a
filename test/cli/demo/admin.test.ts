import { describe, expect, test } from "vitest";
import { type AdminOptions, applyAsAdmin, deliveryOf } from "../../../cli/demo/admin.ts";

const delivery = deliveryOf({ group: "operators", user: "operator" });

/** An API server that does not serve some paths. */
function aServerWithout(path: string) {
  const applied: string[] = [];
  const transport = {
    send: async (request: { readonly path: string }) => {
      applied.push(request.path);
      return { status: request.path.includes(path) ? 404 : 200, body: "{}" };
    },
  } as unknown as AdminOptions["transport"];
  return { applied, admin: { transport, kinds: [] } };
}

describe("the policies of the demo", () => {
  test("include the one that fills in who approves", () => {
    const kinds = delivery.map(({ kind }) => kind);
    expect(kinds).toContain("MutatingAdmissionPolicy");
    expect(kinds).toContain("MutatingAdmissionPolicyBinding");
    expect(kinds).toContain("ValidatingAdmissionPolicy");
  });

  test("are applied without it by an API server that does not serve it", async () => {
    const { applied, admin } = aServerWithout("mutatingadmissionpolic");
    for (const object of delivery) await applyAsAdmin(object, admin);
    expect(applied).toHaveLength(delivery.length);
  });

  test("are not left out in another case", async () => {
    const { admin } = aServerWithout("validatingadmissionpolic");
    const applyAll = async (): Promise<void> => {
      for (const object of delivery) await applyAsAdmin(object, admin);
    };
    await expect(applyAll()).rejects.toThrow("Cannot apply ValidatingAdmissionPolicy");
  });
});
