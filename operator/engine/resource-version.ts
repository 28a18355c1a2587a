/**
 * Orders two resourceVersions of one kind: negative when `a` is older, 0 when equal, positive when newer.
 * The empty string (nothing seen yet) is older than all.
 *
 * They are decimal numbers of up to 128 bits without leading zeros, so the longer one is the larger one, and
 * equally long ones compare as text; a JavaScript number would lose digits. Comparable since Kubernetes 1.35,
 * in fact since etcd 3.
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
