import { HOLDER_EXTRA } from "../../crds/names.ts";
import type { Impersonation } from "../ports.ts";

/** A ServiceAccount that cannot be impersonated because its name is invalid. No request was sent. */
export class ImpersonationError extends Error {
  override readonly name = "ImpersonationError";
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const dnsSubdomain = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** `<namespace>/<name>/<identity>`, without characters that must be escaped in a header. */
const holderForm = /^[a-z0-9][-a-z0-9]*\/[a-z0-9][-a-z0-9.]*\/[A-Za-z0-9][-\w.]*$/;

/** Identifies an instance among those of all installations: its Lease, and its identity among the candidates for it. */
export function holderOf(
  [leaseNamespace, leaseName]: readonly [namespace: string, name: string],
  identity: string,
): string {
  return `${leaseNamespace}/${leaseName}/${identity}`;
}

/**
 * Headers with which a request has the permissions of a ServiceAccount, and no others. Groups are omitted: the API
 * server adds those of a ServiceAccount, and sending them needs a permission for each.
 *
 * @throws ImpersonationError if a name is empty or invalid: a request without the headers would have all permissions of
 *   the operator.
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
    // A header's name may not contain a slash.
    [`impersonate-extra-${encodeURIComponent(HOLDER_EXTRA)}`]: holder,
  };
}

// At run time the values may have other types than declared.
function isText(value: unknown, form: RegExp): boolean {
  return typeof value === "string" && form.test(value);
}

function refuse(namespace: unknown, name: unknown, why: string): ImpersonationError {
  return new ImpersonationError(
    `Cannot impersonate ServiceAccount "${String(namespace)}/${String(name)}": ${why}`,
  );
}
