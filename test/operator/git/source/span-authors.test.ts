import { describe, expect, test } from "vitest";
import type { GitObject } from "../../../../operator/git/source/object-stream.ts";
import { findSpanAuthors, spanLimits } from "../../../../operator/git/source/span-authors.ts";

interface Made {
  readonly parents?: readonly string[];
  /** Name of the author: `ada` has the address ada@example.dev. */
  readonly by?: string;
  /** Seconds since 1970. Default: later than those that were made before. */
  readonly at?: number;
  readonly line?: string;
  readonly type?: string;
  readonly isLarge?: boolean;
}

/** Commits in memory, and the numbers of those that were read. */
class Commits {
  readonly #made = new Map<string, Made>();
  readonly reads: string[] = [];

  /** Makes commits by their names: the id of `a` is forty times `a`. */
  make(commits: Readonly<Record<string, Made>>): this {
    for (const [name, made] of Object.entries(commits)) {
      const parents = (made.parents ?? []).map(idOf);
      this.#made.set(idOf(name), { at: this.#made.size + 1, ...made, parents });
    }
    return this;
  }

  /** The clone does not have it. */
  lose(name: string): this {
    this.#made.delete(idOf(name));
    return this;
  }

  readonly read = async (ids: readonly string[]): Promise<(GitObject | undefined)[]> => {
    expect(ids.length).toBeLessThanOrEqual(32);
    this.reads.push(...ids);
    return ids.map((id) => this.#objectOf(id));
  };

  #objectOf(id: string): GitObject | undefined {
    const made = this.#made.get(id);
    if (made === undefined) return undefined;
    const { parents = [], by = "ada", at, type = "commit", isLarge = false } = made;
    const { line = `author ${by} <${by}@example.dev> ${at} +0000` } = made;
    const committer = `committer forge <noreply@forge.example> ${at} +0000`;
    const text = [`tree ${"0".repeat(40)}`, ...parents.map((parent) => `parent ${parent}`), line, committer];
    const body = Buffer.from(`${text.join("\n")}\n\nMessage\n`);
    return { id, type, size: body.length, body: isLarge ? undefined : body };
  }
}

const idOf = (name: string): string =>
  /^[0-9a-f]$/.test(name) ? name.repeat(40) : Number(name).toString(16).padStart(40, "0");
const find = (commits: Commits, since: string | undefined, until: string) =>
  findSpanAuthors({ ...(since !== undefined && { since: idOf(since) }), until: idOf(until) }, commits);

/** Names of the authors that were found, or the problem. */
async function authors(commits: Commits, since: string | undefined, until: string): Promise<unknown> {
  const found = await find(commits, since, until);
  if ("problem" in found) return found.problem;
  return found.authors.map(({ email }) => email.replace("@example.dev", "")).toSorted();
}

const linear = () =>
  new Commits().make({
    a: { by: "root" },
    b: { parents: ["a"], by: "ada" },
    c: { parents: ["b"], by: "bob" },
    d: { parents: ["c"], by: "cleo" },
  });

/** `d` merges `c` into `b`; both come after `a`. */
const merged = () =>
  new Commits().make({
    a: { by: "root" },
    b: { parents: ["a"], by: "ada" },
    c: { parents: ["a"], by: "bob" },
    d: { parents: ["b", "c"], by: "forge" },
  });

describe("findSpanAuthors()", () => {
  test.for([
    ["a", "d", ["ada", "bob", "cleo"]],
    ["c", "d", ["cleo"]],
    ["d", "d", []],
    [undefined, "c", ["ada", "bob", "root"]],
  ] as const)("finds the authors from %s to %s in a line", async ([since, until, expected]) => {
    expect(await authors(linear(), since, until)).toEqual(expected);
  });

  test("follows all parents, and omits commits that the first commit contains", async () => {
    expect(await authors(merged(), "a", "d")).toEqual(["ada", "bob", "forge"]);
    // The merge brings what is on the other side, which began before.
    expect(await authors(merged(), "b", "d")).toEqual(["bob", "forge"]);
    const commits = merged().make({ e: { parents: ["d"], by: "eve" } });
    expect(await authors(commits, "d", "e")).toEqual(["eve"]);
  });

  test("returns each address once, with its newest commit, regardless of case", async () => {
    const commits = linear().make({ e: { parents: ["d"], by: "ADA" }, f: { parents: ["e"], by: "bob" } });
    expect(await find(commits, "a", "f")).toEqual({
      authors: [
        { email: "bob@example.dev", commit: idOf("f") },
        { email: "ADA@example.dev", commit: idOf("e") },
        { email: "cleo@example.dev", commit: idOf("d") },
      ],
    });
  });

  test("reads only the span, and the commits that determine its beginning", async () => {
    const commits = linear();
    await find(commits, "c", "d");
    expect(commits.reads).toEqual([idOf("d"), idOf("c")]);
  });

  test("omits commits that the first commit contains, also if they were visited before", async () => {
    // The clock of the machine that made `c` was behind.
    const commits = new Commits().make({
      a: { by: "root", at: 10 },
      b: { parents: ["a"], by: "ada", at: 30 },
      c: { parents: ["b"], by: "bob", at: 20 },
      d: { parents: ["c", "b"], by: "cleo", at: 40 },
    });
    expect(await authors(commits, "c", "d")).toEqual(["cleo"]);
  });

  test.for([
    ["backwards", "d", "b"],
    ["beside", "b", "c"],
  ] as const)("reports that a commit does not come after the other one: %s", async ([, since, until]) => {
    const commits = since === "d" ? linear() : merged();
    expect(await authors(commits, since, until)).toEqual({ is: "NotAncestor" });
  });

  test.for([
    ["the last one", "d", { is: "MissingHistory", commit: idOf("d") }],
    ["one in between", "c", { is: "MissingHistory", commit: idOf("c") }],
  ] as const)("reports that the clone does not have %s", async ([, lost, problem]) => {
    expect(await authors(linear().lose(lost), "a", "d")).toEqual(problem);
  });

  test("does not need the first commit, nor earlier ones", async () => {
    expect(await authors(linear().lose("a"), "a", "d")).toEqual(["ada", "bob", "cleo"]);
    expect(await authors(linear().lose("a"), "b", "d")).toEqual(["bob", "cleo"]);
  });

  test("does not treat a history that is truncated beside the first commit as complete", async () => {
    // The merged side goes back to where the clone ends.
    const commits = merged().lose("a");
    expect(await authors(commits, "b", "d")).toEqual(["bob", "forge"]);
    const side = merged().make({ c: { parents: ["9"], by: "bob" } });
    expect(await authors(side, "b", "d")).toEqual({ is: "MissingHistory", commit: idOf("9") });
  });

  test("returns more authors, and never fewer, with forged times", async () => {
    for (const at of [0, 1, 1_000_000, 999_999_999_999_999]) {
      for (const name of ["a", "b", "c", "d"]) {
        const commits = merged();
        const by = { a: "root", b: "ada", c: "bob", d: "forge" }[name] ?? "";
        const parents = { a: [], b: ["a"], c: ["a"], d: ["b", "c"] }[name] ?? [];
        commits.make({ [name]: { at, by, parents } });
        const found = (await authors(commits, "b", "d")) as readonly string[];
        expect(found, `${name} at ${at}`).toEqual(expect.arrayContaining(["bob", "forge"]));
        expect(found).not.toContain("ada");
      }
    }
  });

  test.for([
    ["two addresses", { line: "author Ada <eve@example.dev> <ada@example.dev> 1 +0000" }],
    ["an object that is too large", { isLarge: true }],
  ] as const)("names a commit with %s, if it is in the span", async ([, more]) => {
    const commits = linear().make({ c: { parents: ["b"], ...more } });
    expect(await authors(commits, "b", "d")).toEqual({ is: "Unreadable", commit: idOf("c") });
    expect(await authors(commits, "c", "d")).toEqual(["cleo"]);
  });

  test("treats an object that is not a commit as missing", async () => {
    const commits = linear().make({ c: { type: "tree", parents: ["b"] } });
    expect(await authors(commits, "a", "d")).toEqual({ is: "MissingHistory", commit: idOf("c") });
  });

  const long = (count: number, by: (index: number) => string) => {
    const commits = new Commits();
    for (let index = 1; index <= count; index++)
      commits.make({ [index + 100]: { parents: index === 1 ? [] : [`${index + 99}`], by: by(index) } });
    return commits;
  };

  test("reads a bounded number of commits", async () => {
    const { commits: most } = spanLimits;
    const within = long(most, () => "ada");
    expect(await authors(within, "101", `${most + 100}`)).toEqual(["ada"]);
    const beyond = long(most + 1, () => "ada");
    expect(await authors(beyond, "101", `${most + 101}`)).toEqual({ is: "TooManyCommits" });
    expect(beyond.reads.length).toBeLessThanOrEqual(most);
  });

  test("finds a bounded number of authors", async () => {
    const { authors: most } = spanLimits;
    expect(
      await authors(
        long(most, (index) => `a${index}`),
        undefined,
        `${most + 100}`,
      ),
    ).toHaveLength(most);
    const beyond = long(most + 1, (index) => `a${index}`);
    expect(await authors(beyond, undefined, `${most + 101}`)).toEqual({ is: "TooManyAuthors" });
  });
});
