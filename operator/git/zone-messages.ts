import * as z from "zod";
import { type ReportedWalls, readWallsReport, wallsReport } from "../sandbox/walls-report.ts";

// What the messages of both zones that run git have in common. Messages of a zone are untrusted.

/** Matches a text without characters that change how it is shown. */
export const plain = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;
export const plainText = (length: number) => z.string().max(length).regex(plain);
export const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** Walls of the kernel around the process of the zone, and around git. The first item that a zone sends. */
export const wallsItem = z.strictObject({ walls: z.strictObject({ own: wallsReport, git: wallsReport }) });
export type WallsItem = z.output<typeof wallsItem>;

/** The same, as they are reported to the operator. */
export function readWalls({ walls }: WallsItem): {
  readonly own: ReportedWalls;
  readonly git: ReportedWalls;
} {
  return { own: readWallsReport(walls.own), git: readWallsReport(walls.git) };
}
