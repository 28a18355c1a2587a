import { type Duplex, duplexPair } from "node:stream";
import { Link, type LinkOptions } from "../../operator/zones/link.ts";
import { FakeClock } from "./fake-clock.ts";

export const wideLimits = { headerBytes: 65_536, parts: 256, bytes: 8 * 2 ** 20 };

export interface LinkPair {
  readonly near: Link;
  readonly far: Link;
  readonly clock: FakeClock;
}

/** Two ends of one connection in memory. */
export function aLinkPair({
  near = {},
  far = {},
}: {
  readonly near?: Partial<LinkOptions>;
  readonly far?: Partial<LinkOptions>;
} = {}): LinkPair {
  const clock = new FakeClock();
  const [one, other] = duplexPair();
  return { near: aLink(one, { clock, ...near }), far: aLink(other, { clock, ...far }), clock };
}

/** One end of a connection whose other end the test writes itself. */
export function aLinkToPeer(options: Partial<LinkOptions> = {}): {
  readonly link: Link;
  readonly peer: Duplex;
  readonly clock: FakeClock;
} {
  const clock = new FakeClock();
  const [one, peer] = duplexPair();
  peer.on("error", () => {});
  peer.resume();
  return { link: aLink(one, { clock, ...options }), peer, clock };
}

function aLink(stream: Duplex, options: Partial<LinkOptions> & Pick<LinkOptions, "clock">): Link {
  return new Link(stream, {
    zone: "test",
    limits: wideLimits,
    serve: async () => ({ body: {} }),
    ...options,
  });
}
