import { readFileSync, renameSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { COMPONENT_NAMES, PORT_NAMES, runPath } from "./component-arguments.ts";
import { BINARY_NAMES } from "./tool-modules.ts";

const processIdentity = z.object({ pid: z.int().positive(), startedAt: z.string() });

const clusterRecord = z.object({
  version: z.literal(1),
  name: z.string(),
  runDirectory: z.string(),
  ports: z.record(z.enum(PORT_NAMES), z.int()),
  fsync: z.boolean(),
  nodes: z.int().nonnegative(),
  /** The programs of this cluster, running or not. */
  components: z.array(z.enum(COMPONENT_NAMES)),
  binaries: z.partialRecord(z.enum(BINARY_NAMES), z.string()),
  /** The processes as they were last started. */
  processes: z.partialRecord(z.enum(COMPONENT_NAMES), processIdentity),
});

/** The record of a cluster in its run directory, with which another process can stop it. */
export type ClusterRecord = z.infer<typeof clusterRecord>;

/**
 * Reads the record of a run directory; undefined if there is none.
 *
 * @throws Error if the file is not a record.
 */
export function readClusterRecord(runDirectory: string): ClusterRecord | undefined {
  const path = runPath(runDirectory, "record");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return clusterRecord.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`Cannot read "${path}": it is not a record of a cluster`, { cause });
  }
}

/** Writes the record atomically: a started process must be recorded before anything else happens. */
export function writeClusterRecord(record: ClusterRecord): void {
  const path = runPath(record.runDirectory, "record");
  writeFileSync(`${path}.draft`, JSON.stringify(record, undefined, 2), { mode: 0o600 });
  renameSync(`${path}.draft`, path);
}

/** Reads the record of an existing cluster. */
export function requireClusterRecord(runDirectory: string): ClusterRecord {
  const record = readClusterRecord(runDirectory);
  if (record === undefined) throw new Error(`Cannot find a cluster in "${runDirectory}": it has no record`);
  return record;
}
