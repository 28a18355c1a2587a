import { createHash } from "node:crypto";

// Names of children. A child has its resource's name where that is valid. Where it is not (dots, too long), it
// has a shortened name that ends in a hash of the whole: the same every time, and another one for another name.

/** Standard labels that children, pod templates and job templates carry. */
export const standardLabels = {
  name: "app.kubernetes.io/name",
  instance: "app.kubernetes.io/instance",
  managedBy: "app.kubernetes.io/managed-by",
} as const;

/** Value of `app.kubernetes.io/managed-by`. */
export const MANAGED_BY = "fairlead";

/**
 * Key of what an impersonated request says of the instance that sends it, `<namespace>/<name>/<pod>` of its Lease: under
 * impersonation nothing else does, because the API server drops what the operator's own token says of its pod.
 */
export const HOLDER_EXTRA = "fairlead.dev/holder";

const label1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const subdomain1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelText = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** A DNS-1123 label, at most 63 characters: namespaces and everything that becomes a host name. */
export function dnsLabel(name: string): string {
  return isValid(name, label1123, 63) ? name : shorten(name, 63);
}

/** A DNS-1123 subdomain, at most 253 characters: what most kinds take, Deployments among them. */
export function dnsSubdomain(name: string): string {
  return isValid(name, subdomain1123, 253) ? name : shorten(name, 253);
}

/** A DNS-1035 label, at most 63 characters: a Service's name begins with a letter. */
export function serviceName(name: string): string {
  if (isValid(name, label1035, 63)) return name;
  const shortened = shorten(name, 62);
  return /^[0-9]/.test(shortened) ? `x${shortened}` : shortened;
}

/** At most 63 characters: the Job controller makes the name a label of the Job's pods. */
export function jobName(name: string): string {
  return isValid(name, subdomain1123, 63) ? name : shorten(name, 63);
}

/** At most 52 characters: the CronJob controller adds 11 to name its Jobs. */
export function cronJobName(name: string): string {
  return isValid(name, subdomain1123, 52) ? name : shorten(name, 52);
}

/** A DNS-1123 label, at most 63 characters. */
export function containerName(name: string): string {
  return dnsLabel(name);
}

/** At most 63 characters of letters, digits, `-`, `_` and `.`, or nothing at all. */
export function labelValue(name: string): string {
  return isValid(name, labelText, 63) ? name : shorten(name, 63);
}

function isValid(name: string, pattern: RegExp, maxLength: number): boolean {
  return name.length <= maxLength && pattern.test(name);
}

const hashLength = 8;

/** A readable beginning and a hash of the whole name: a valid DNS label whatever the name was. */
function shorten(name: string, maxLength: number): string {
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, maxLength - hashLength - 1)
    .replace(/-$/, "");
  // UTF-16 tells all strings apart; in UTF-8, unpaired surrogates are one and the same.
  const hash = createHash("sha256").update(name, "utf16le").digest("hex").slice(0, hashLength);
  return `${readable === "" ? "x" : readable}-${hash}`;
}
