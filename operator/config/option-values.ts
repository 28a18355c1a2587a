import * as z from "zod";
import { toMilliseconds } from "../../crds/duration.ts";
import { parseQuantity } from "../engine/quantity.ts";

/** A duration such as `500ms`, `15s`, `1m30s`, `2h`. */
export const duration = z.string().transform((text, context): number => {
  const durationMs = toMilliseconds(text);
  if (!Number.isNaN(durationMs)) return durationMs;
  context.addIssue({ code: "custom", message: `expected a duration such as 15s or 1m30s, got "${text}"` });
  return z.NEVER;
});

/** An amount of memory or disk in bytes, as Kubernetes writes it: `512Mi`, `2Gi`. */
export const size = z.string().transform((text, context): number => {
  const billionths = parseQuantity(text);
  if (billionths !== undefined && billionths > 0n) return Number(billionths / 1_000_000_000n);
  context.addIssue({ code: "custom", message: `expected a size such as 512Mi or 2Gi, got "${text}"` });
  return z.NEVER;
});

/** A switch: `true` and `false`, in several spellings. */
export const flag = z
  .enum(["true", "false", "1", "0", "yes", "no", "on", "off"], { error: "expected true or false" })
  .transform((text) => ["true", "1", "yes", "on"].includes(text));

/** Address to listen on; `0` disables it. */
export const bindAddress = z
  .string()
  .regex(/^(0|\S*:\d{1,5})$/, { error: "expected [HOST]:PORT, or 0 to disable it" });

/** The name of a namespace. */
export const dnsLabel = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, { error: "expected a namespace name" });

/** Names of kinds, separated by commas; undefined: all. */
export const kindNames = z
  .string()
  .regex(/^[\w.-]+(,[\w.-]+)*$/, { error: "expected names of kinds, separated by commas, all or none" })
  .transform((text) => (text === "all" ? undefined : text === "none" ? [] : text.split(",")));

/** A folder in a repository, without trailing slashes. */
export const relativeFolder = z
  .string()
  .regex(/^(?!\/)(?!.*(^|\/)(\.{1,2}|\.git)(\/|$)).*$/is, {
    error: "expected a relative folder without ., .. or .git",
  })
  .transform((path) => path.replace(/\/+$/, ""));
