import { totalmem } from "node:os";

/** The memory limit of our cgroup, in bytes. Undefined: there is none below the memory of the machine. */
export function readMemoryLimit(): number | undefined {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : undefined;
}
