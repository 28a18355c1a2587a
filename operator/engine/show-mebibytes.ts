/** `1.5 MiB`: an amount of memory in bytes, for messages. Pure. */
export function showMebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
