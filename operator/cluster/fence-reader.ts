import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "../../crds/core-kinds.ts";
import type { ObjectKind } from "../../crds/object.ts";
import { readStatus } from "./api-status.ts";
import { listIn, objectIn } from "./json-value.ts";
import { collectionPath, withQuery } from "./resource-path.ts";
import type { ApiTransport } from "./transport.ts";

/** State of an admission policy that limits our writes. */
export type FenceState =
  | { readonly state: "in-force" }
  /** `what` is not there, or does not deny anything. */
  | { readonly state: "missing"; readonly what: "policy" | "binding" }
  | { readonly state: "unknown"; readonly why: string };

/** Looks for the admission policy of this name, and for the binding of the same name that puts it in force. */
export async function readFence(name: string, transport: Pick<ApiTransport, "send">): Promise<FenceState> {
  // A list of one, because that is what an absent one answers with no error.
  const find = async (kind: ObjectKind): Promise<readonly unknown[]> => {
    const path = withQuery(collectionPath(kind), { fieldSelector: `metadata.name=${name}` });
    const response = await transport.send({ method: "GET", path });
    // An API server that does not know such policies has none.
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
