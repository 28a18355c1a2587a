import type { ResultLine } from "../rig/driver-process.ts";
export function reportText(results: readonly ResultLine[]): string { return JSON.stringify(results, null, 1) + "\n"; }
