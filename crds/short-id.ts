/** Shortens a commit's id or a digest for messages and columns. Pure. */
export function shortId(id: string): string {
  return id.slice(0, 12);
}
