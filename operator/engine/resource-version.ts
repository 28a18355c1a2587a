/**
 * Compares two resourceVersions of one kind: negative if `a` is older, 0 if they are equal, positive if it is newer.
 * The empty string (nothing observed yet) is older than all others.
 *
 * They are decimal numbers of up to 128 bits without leading zeros. So the longer one is larger, and equally long ones are
 * compared as text. A JavaScript number would lose digits. Kubernetes defines this order since 1.35; in practice it holds
 * since etcd 3.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Whether resourceVersion `a` is newer than `b`. */
export function isNewer(a: string, b: string): boolean {
  return compareResourceVersions(a, b) > 0;
}

/** The newer of two resourceVersions. */
export function newestOf(a: string, b: string): string {
  return isNewer(a, b) ? a : b;
}
