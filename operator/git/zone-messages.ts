import * as z from "zod";
import { type ReportedWalls, readWallsReport, wallsReport } from "../sandbox/walls-report.ts";

// Messages that both zones that run git have in common. Messages of a zone are untrusted.

/** Matches a text without characters that change how it is displayed. */
export const plain = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;
export const plainText = (length: number) => z.string().max(length).regex(plain);
export const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** Kernel isolation of the process of the zone, and of git. The first item that a zone sends. */
export const wallsItem = z.strictObject({ walls: z.strictObject({ own: wallsReport, git: wallsReport }) });
export type WallsItem = z.output<typeof wallsItem>;

/** The isolation as it is reported to the operator. */
export function readWalls({ walls }: WallsItem): {
  readonly own: ReportedWalls;
  readonly git: ReportedWalls;
} {
  return { own: readWallsReport(walls.own), git: readWallsReport(walls.git) };
}
