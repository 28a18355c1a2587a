import { generateKeyPairSync, sign } from "node:crypto";

export interface SelfSignedCertificate {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

const sequence = 0x30;
const set = 0x31;
const ecdsaWithSha256 = element(sequence, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

/**
 * A certificate for 127.0.0.1 and localhost, created at run time: Node can create keys but no certificates (X.509, RFC
 * 5280).
 *
 * @param address Another IPv4 address that it is for.
 */
export function selfSignedCertificate(address?: string): SelfSignedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = element(
    sequence,
    element(set, element(sequence, oid(0x55, 0x04, 0x03), element(0x0c, Buffer.from("scripted")))),
  );
  const validity = element(sequence, utcTime("200101000000Z"), utcTime("491231235959Z"));
  const body = element(
    sequence,
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, element(sequence, authority(), alternativeNames(address))),
  );
  const signature = element(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const certificate = element(sequence, body, ecdsaWithSha256, signature);
  return {
    certificate: pem("CERTIFICATE", certificate),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function authority(): Buffer {
  const isAuthority = element(sequence, element(0x01, Buffer.from([0xff])));
  return element(sequence, oid(0x55, 0x1d, 0x13), element(0x04, isAuthority));
}

function alternativeNames(address: string | undefined): Buffer {
  const addresses = ["127.0.0.1", ...(address === undefined ? [] : [address])];
  const names = element(
    sequence,
    element(0x82, Buffer.from("localhost")),
    ...addresses.map((text) => element(0x87, Buffer.from(text.split(".").map(Number)))),
  );
  return element(sequence, oid(0x55, 0x1d, 0x11), element(0x04, names));
}

function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function oid(...bytes: number[]): Buffer {
  return element(0x06, Buffer.from(bytes));
}

function utcTime(text: string): Buffer {
  return element(0x17, Buffer.from(text));
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
