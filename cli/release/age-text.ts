/** Age of something, as kubectl shows it: `45s`, `12m`, `5h`, `3d`. Pure. */
export function ageOf(time: string | undefined, nowMs: number): string {
  const sinceMs = nowMs - Date.parse(time ?? "");
  if (Number.isNaN(sinceMs)) return "<unknown>";
  const seconds = Math.max(0, Math.floor(sinceMs / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 120 * 60) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3_600) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
