import { parseDocument, stringify } from "yaml";

/** The operator that may write below a root: one cluster, one Lease. */
export interface RootOwner {
  /** uid of the namespace kube-system. */
  readonly cluster: string;
  /** Namespace and name of the Lease. */
  readonly lease: string;
}

/** Content of `.fairlead.yaml`. */
export interface OwnerFile {
  readonly owner: RootOwner;
  /** Id of an approved sweep. */
  readonly approveSweep: string | undefined;
}

/** Name of the file below the root. */
export const OWNER_FILE = ".fairlead.yaml";

/**
 * Larger files were not written by the operator. Besides, the YAML library takes 6 s for a map of 9,000 keys, and no
 * Lease is renewed during that time.
 */
export const OWNER_FILE_BYTES = 2_048;

export function writeOwnerFile({ cluster, lease }: RootOwner): string {
  const head = "# Fairlead owns the folders of resources beside this file: changes in them are reverted.\n";
  return head + stringify({ owner: { cluster, lease } });
}

/**
 * Reads three fields, and converts nothing else: the library converts each key that is a map or a list to text, which
 * takes minutes for 4 KiB of "? ".
 *
 * @returns `unreadable` for any file that the operator did not write: such a root must not be written.
 */
export function readOwnerFile(text: string): OwnerFile | "unreadable" {
  const document = parseDocument(text, { logLevel: "error", prettyErrors: false });
  if (document.errors.length > 0) return "unreadable";
  const [cluster, lease] = [document.getIn(["owner", "cluster"]), document.getIn(["owner", "lease"])];
  if (typeof cluster !== "string" || typeof lease !== "string") return "unreadable";
  return { owner: { cluster, lease }, approveSweep: readApproval(document.get("approveSweep")) };
}

/** YAML parses an id of only digits as a number; a value that is not an id approves nothing. */
function readApproval(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

export function isSameOwner(a: RootOwner, b: RootOwner): boolean {
  return a.cluster === b.cluster && a.lease === b.lease;
}
