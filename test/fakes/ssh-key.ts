import { generateKeyPairSync } from "node:crypto";

export interface SshKey {
  /** The file of a private key as OpenSSH writes it, without passphrase. */
  readonly identity: string;
  /** Type and key, as in `authorized_keys` and after the hosts of `known_hosts`. */
  readonly publicKey: string;
}

const type = "ssh-ed25519";

/**
 * An Ed25519 key in OpenSSH's format (PROTOCOL.key), for users and hosts: Node writes only PEM, and one in 500 keys of
 * ssh2 1.17 is broken.
 */
export function aSshKey(): SshKey {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const [seed, point] = [Buffer.from(d, "base64url"), Buffer.from(x, "base64url")];
  const publicBlob = Buffer.concat([text(type), text(point)]);
  // Two equal numbers show that the passphrase was correct; there is none.
  const check = number(0x01020304);
  const parts = [check, check, publicBlob, text(Buffer.concat([seed, point])), text("fairlead-test")];
  const secret = padded(Buffer.concat(parts));
  const file = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    text("none"),
    text("none"),
    text(""),
    number(1),
    text(publicBlob),
    text(secret),
  ]);
  const lines = file.toString("base64").match(/.{1,70}/g) ?? [];
  return {
    identity: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join("\n")}\n-----END OPENSSH PRIVATE KEY-----\n`,
    publicKey: `${type} ${publicBlob.toString("base64")}`,
  };
}

/** A string of ssh's (RFC 4251, section 5). */
function text(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Padding to a multiple of eight with 1, 2, 3, … */
function padded(bytes: Buffer): Buffer {
  const missing = (8 - (bytes.length % 8)) % 8;
  return Buffer.concat([bytes, Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, missing))]);
}
