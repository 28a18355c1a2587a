import { HOLDER_EXTRA } from "../../crds/names.ts";
import type { Impersonation } from "../ports.ts";

/** A ServiceAccount that cannot be impersonated, because it cannot be named. No request was sent. */
export class ImpersonationError extends Error {
  override readonly name = "ImpersonationError";
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const dnsSubdomain = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** `<namespace>/<name>/<identity>`, nothing that a header would have to escape. */
const holderForm = /^[a-z0-9][-a-z0-9]*\/[a-z0-9][-a-z0-9.]*\/[A-Za-z0-9][-\w.]*$/;

/** Names an instance among all of all installations: its Lease, and who it is among those that compete for it. */
export function holderOf(
  [leaseNamespace, leaseName]: readonly [namespace: string, name: string],
  identity: string,
): string {
  return `${leaseNamespace}/${leaseName}/${identity}`;
}

/**
 * Headers by which a request has the rights of a ServiceAccount, and no others. Groups are left out: the API server knows
 * those of a ServiceAccount, and naming them needs a right to each.
 *
 * @throws ImpersonationError if anything is empty or odd: a request without the headers would have all our rights.
 */
export function impersonationHeaders(
  { namespace, serviceAccountName }: Impersonation,
  holder: string | undefined,
): Readonly<Record<string, string>> {
  if (!isText(namespace, dnsLabel))
    throw refuse(namespace, serviceAccountName, "its namespace is not a valid name");
  if (!isText(serviceAccountName, dnsSubdomain))
    throw refuse(namespace, serviceAccountName, "it is not a valid name");
  if (holder === undefined || !isText(holder, holderForm))
    throw refuse(namespace, serviceAccountName, "this instance of the operator has no name to send with it");
  return {
    "impersonate-user": `system:serviceaccount:${namespace}:${serviceAccountName}`,
    // A slash may not stand in a header's name.
    [`impersonate-extra-${encodeURIComponent(HOLDER_EXTRA)}`]: holder,
  };
}

// Anything may come at run time, where types are no more than a promise.
function isText(value: unknown, form: RegExp): boolean {
  return typeof value === "string" && form.test(value);
}

function refuse(namespace: unknown, name: unknown, why: string): ImpersonationError {
  return new ImpersonationError(
    `Cannot impersonate ServiceAccount "${String(namespace)}/${String(name)}": ${why}`,
  );
}
