import * as z from "zod";
import { isolationReport, type ReportedIsolation, readIsolationReport } from "../sandbox/isolation-report.ts";

// Messages that both zones that run git have in common. Messages of a zone are untrusted.

/** Matches a text without characters that change how it is displayed. */
export const plain = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;
export const plainText = (length: number) => z.string().max(length).regex(plain);
export const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** Kernel isolation of the process of the zone, and of git. The first item that a zone sends. */
export const isolationItem = z.strictObject({
  isolation: z.strictObject({ own: isolationReport, git: isolationReport }),
});
export type IsolationItem = z.output<typeof isolationItem>;

/** The isolation as it is reported to the operator. */
export function readIsolation({ isolation }: IsolationItem): {
  readonly own: ReportedIsolation;
  readonly git: ReportedIsolation;
} {
  return { own: readIsolationReport(isolation.own), git: readIsolationReport(isolation.git) };
}
