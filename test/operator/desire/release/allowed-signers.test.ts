import { describe, expect, test } from "vitest";
import { allowedSigners } from "../../../../operator/desire/release/allowed-signers.ts";
import { limitsOf } from "../../../fakes/releases.ts";

describe("allowedSigners()", () => {
  const [a, b, pgp] = ["ssh-ed25519 A", "ssh-ed25519 B ", "-----BEGIN PGP PUBLIC KEY BLOCK-----\nC"];
  const required = true;
  test.for([
    { does: "is undefined without keys", rules: [{}, { verify: { required } }], keys: undefined },
    {
      does: "has the keys of a rule",
      rules: [{ verify: { required, keys: [a, pgp] } }],
      keys: [
        ["0.pub", a],
        ["1.asc", pgp],
      ],
    },
    {
      does: "has the keys that are in all rules",
      rules: [{ verify: { required, keys: [a, b] } }, {}, { verify: { required, keys: ["ssh-ed25519 B"] } }],
      keys: [["0.pub", "ssh-ed25519 B"]],
    },
  ])("$does", ({ rules, keys }) => {
    const signers = allowedSigners(limitsOf(...rules));
    expect(signers && [...signers]).toEqual(keys);
  });
});
