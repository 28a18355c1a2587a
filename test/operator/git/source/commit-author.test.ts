import { describe, expect, test } from "vitest";
import { isEmail, readAuthoredCommit } from "../../../../operator/git/source/commit-author.ts";

const tree = "a".repeat(40);
const [one, two] = ["1".repeat(40), "2".repeat(40)];
const when = "1700000000 +0100";
const author = `author Ada Lovelace <ada@example.dev> ${when}`;
const committer = `committer Forge <noreply@forge.example> 1700000009 +0000`;

/** A commit object of these lines. One character is one byte. */
function aCommit(...lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join("\n")}\n\nMessage\nparent ${two}\n`, "latin1");
}

describe("readAuthoredCommit()", () => {
  test("reads all parents, the author's address and the committer's time", () => {
    const body = aCommit(`tree ${tree}`, `parent ${one}`, `parent ${two}`, author, committer);
    expect(readAuthoredCommit(body)).toEqual({
      parents: [one, two],
      email: "ada@example.dev",
      committedAt: 1_700_000_009,
    });
  });

  test("reads ids of SHA-256, and a commit without parents", () => {
    const long = "b".repeat(64);
    expect(readAuthoredCommit(aCommit(`tree ${long}`, `parent ${long}`, author, committer)).parents).toEqual([
      long,
    ]);
    expect(readAuthoredCommit(aCommit(`tree ${tree}`, author, committer))).toMatchObject({
      parents: [],
      email: "ada@example.dev",
    });
  });

  test.for([
    ["a name in another encoding", `author J\xf6rg <ada@example.dev> ${when}`],
    ["no name", `author <ada@example.dev> ${when}`],
    ["control characters in the name", `author \x1b[2J\0\x07 <ada@example.dev> ${when}`],
    ["a long name", `author ${"x".repeat(3_000)} <ada@example.dev> ${when}`],
  ] as const)("reads the address beside %s", ([, line]) => {
    expect(readAuthoredCommit(aCommit(`tree ${tree}`, line, committer)).email).toBe("ada@example.dev");
  });

  test("reads an address that is not ASCII", () => {
    const line = Buffer.from(`author Zoë <zoë@exämple.dev> ${when}`).toString("latin1");
    expect(readAuthoredCommit(aCommit(`tree ${tree}`, line, committer)).email).toBe("zoë@exämple.dev");
  });

  test.for([
    ["two addresses", `author Ada <eve@example.dev> <ada@example.dev> ${when}`],
    ["an address within the address", `author Ada <<ada@example.dev>> ${when}`],
    ["no address", `author Ada ${when}`],
    ["an empty address", `author Ada <> ${when}`],
    ["no time", "author Ada <ada@example.dev>"],
    ["blanks in the address", `author Ada <ada @example.dev> ${when}`],
    ["a control character in the address", `author Ada <ada\x07@example.dev> ${when}`],
    ["an address that is not UTF-8", `author Ada <\xffada@example.dev> ${when}`],
    [
      "text with bidirectional control characters",
      `author Ada <${Buffer.from("\u202eada@example.dev").toString("latin1")}> ${when}`,
    ],
    ["a long address", `author Ada <${"x".repeat(310)}@example.dev> ${when}`],
    ["a line without end", `author ${"x".repeat(5_000)} <ada@example.dev> ${when}`],
    ["another header in its place", `gpgsig ${author}`],
  ] as const)("does not guess the author for %s, but reads the parents", ([, line]) => {
    const { email, parents } = readAuthoredCommit(aCommit(`tree ${tree}`, `parent ${one}`, line, committer));
    expect(email).toBeUndefined();
    // Behind a line that is too long nothing is read.
    expect(parents).toEqual(line.length > 4_096 ? [] : [one]);
  });

  test("reads nothing of a commit with too many parents, or of another object", () => {
    const parents = Array.from({ length: 101 }, () => `parent ${one}`);
    for (const body of [
      aCommit(`tree ${tree}`, ...parents, author, committer),
      aCommit(author, committer),
      aCommit(`tree ${tree}`),
      Buffer.alloc(0),
    ])
      expect(readAuthoredCommit(body)).toMatchObject({ parents: [], email: undefined });
  });

  test("uses 1970 for an invalid time", () => {
    const body = aCommit(`tree ${tree}`, author, "committer Forge <noreply@forge.example> soon");
    expect(readAuthoredCommit(body).committedAt).toBe(0);
  });
});

test("isEmail() accepts the same addresses as a ReleasePolicy", () => {
  expect(isEmail(`${"x".repeat(308)}@example.dev`)).toBe(true);
  expect(isEmail("")).toBe(false);
});
