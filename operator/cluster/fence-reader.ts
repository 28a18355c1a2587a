import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "../../crds/core-kinds.ts";
import type { ObjectKind } from "../../crds/object.ts";
import { readStatus } from "./api-status.ts";
import { listIn, objectIn } from "./json-value.ts";
import { collectionPath, withQuery } from "./resource-path.ts";
import type { ApiTransport } from "./transport.ts";

/** State of an admission policy that limits the operator's writes. */
export type FenceState =
  | { readonly state: "in-force" }
  /** `what` does not exist, or does not deny requests. */
  | { readonly state: "missing"; readonly what: "policy" | "binding" }
  | { readonly state: "unknown"; readonly why: string };

/** Reads the admission policy with this name, and the binding with the same name that enforces it. */
export async function readFence(name: string, transport: Pick<ApiTransport, "send">): Promise<FenceState> {
  // A list with one entry, because a missing policy then gives an empty list instead of an error.
  const find = async (kind: ObjectKind): Promise<readonly unknown[]> => {
    const path = withQuery(collectionPath(kind), { fieldSelector: `metadata.name=${name}` });
    const response = await transport.send({ method: "GET", path });
    // An API server without this API has no such policies.
    if (response.status === 404) return [];
    if (response.status !== 200) throw new Error(readStatus(response).message);
    return listIn(objectIn(JSON.parse(response.body))["items"]);
  };
  try {
    const [[policy], [binding]] = await Promise.all([
      find(ValidatingAdmissionPolicy),
      find(ValidatingAdmissionPolicyBinding),
    ]);
    if (policy === undefined) return { state: "missing", what: "policy" };
    const { policyName, validationActions } = objectIn(objectIn(binding)["spec"]);
    const denies = policyName === name && listIn(validationActions).includes("Deny");
    return denies ? { state: "in-force" } : { state: "missing", what: "binding" };
  } catch (error) {
    return { state: "unknown", why: error instanceof Error ? error.message : String(error) };
  }
}
