import type { AddressInfo } from "node:net";

export interface BindAddress {
  /** Undefined: all interfaces. */
  readonly host: string | undefined;
  readonly port: number;
}

/**
 * Parses an address in the form that Kubernetes components accept: `:8080`, `127.0.0.1:8080`, `[::1]:8080`; port 0 is
 * any free one.
 *
 * @returns Undefined for `0` and the empty text: disabled.
 * @throws RangeError for any other text.
 */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === "0" || text === "") return undefined;
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new RangeError(`Cannot listen on "${text}": expected [HOST]:PORT, or 0 to disable it`);
  }
  return { host: (bracketed ?? plain) || undefined, port };
}

/** `127.0.0.1:8080`, `[::1]:8080`. */
export function formatAddress({ address, family, port }: AddressInfo): string {
  return family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;
}
