import { createHash } from "node:crypto";

// Names of children. A child has its resource's name if that is valid. Otherwise (dots, too long) it has a shortened
// name that ends with a hash of the whole name, which is deterministic and differs for other names.

/** Standard labels of children, pod templates and job templates. */
export const standardLabels = {
  name: "app.kubernetes.io/name",
  instance: "app.kubernetes.io/instance",
  managedBy: "app.kubernetes.io/managed-by",
} as const;

/** Value of `app.kubernetes.io/managed-by`. */
export const MANAGED_BY = "fairlead";

/**
 * Key of the extra field in impersonated requests with the sending instance, as `<namespace>/<name>/<pod>` of its Lease.
 * Under impersonation nothing else identifies it, because the API server drops the claims of the operator's own token
 * about its pod.
 */
export const HOLDER_EXTRA = "fairlead.dev/holder";

const label1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const subdomain1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelText = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** A DNS-1123 label, at most 63 characters: for namespaces and all names that become host names. */
export function dnsLabel(name: string): string {
  return isValid(name, label1123, 63) ? name : shorten(name, 63);
}

/** A DNS-1123 subdomain, at most 253 characters: valid for most kinds, including Deployments. */
export function dnsSubdomain(name: string): string {
  return isValid(name, subdomain1123, 253) ? name : shorten(name, 253);
}

/** A DNS-1035 label, at most 63 characters: a Service's name begins with a letter. */
export function serviceName(name: string): string {
  if (isValid(name, label1035, 63)) return name;
  const shortened = shorten(name, 62);
  return /^[0-9]/.test(shortened) ? `x${shortened}` : shortened;
}

/** At most 63 characters: the Job controller uses the name as a label of the Job's pods. */
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

/** At most 63 characters of letters, digits, `-`, `_` and `.`, or empty. */
export function labelValue(name: string): string {
  return isValid(name, labelText, 63) ? name : shorten(name, 63);
}

function isValid(name: string, pattern: RegExp, maxLength: number): boolean {
  return name.length <= maxLength && pattern.test(name);
}

const hashLength = 8;

/** A readable prefix and a hash of the whole name: a valid DNS label for any name. */
function shorten(name: string, maxLength: number): string {
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, maxLength - hashLength - 1)
    .replace(/-$/, "");
  // Hashed as UTF-16, which distinguishes all strings; in UTF-8, unpaired surrogates are all the same.
  const hash = createHash("sha256").update(name, "utf16le").digest("hex").slice(0, hashLength);
  return `${readable === "" ? "x" : readable}-${hash}`;
}
