import { describe, expect, test } from "vitest";
import { readPlain, readSlowly } from "../../fakes/yaml-readers.ts";

const deployment = `# The shop's front
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web   # not the name of the Service
  labels: {app: web, "tier": 'front'}
  annotations:
    example.com/note: "two\\nlines: \\"quoted\\""
    example.com/single: 'it''s'
spec:
  replicas: 0
  selector:
    matchLabels:
      app: web
  template:
    spec:
      containers:
      - name: web
        image: registry.example.com/shop/web:1.2.3@sha256:abc
        args: ["--port", "8080", --verbose]
        command:
          - sh
          - -c
          - |
            set -e
              indented
            # not a comment

            exec web
        env:
        - name: EMPTY
          value:
        - {name: URL, value: "http://shop:80/#top"}
        -
          name: LATER
          value: >-
            folded
            text

            new paragraph
      volumes: []
      nodeSelector: {}
`;

describe("readPlainYaml()", () => {
  test("reads a Deployment with everything that manifests are made of", () => {
    const value = readPlain(deployment);
    expect(value).toEqual(readSlowly(deployment));
    expect(value).toMatchObject({
      metadata: {
        name: "web",
        labels: { app: "web", tier: "front" },
        annotations: { "example.com/note": 'two\nlines: "quoted"', "example.com/single": "it's" },
      },
      spec: {
        template: {
          spec: {
            containers: [
              {
                args: ["--port", "8080", "--verbose"],
                command: ["sh", "-c", "set -e\n  indented\n# not a comment\n\nexec web\n"],
                env: [
                  { name: "EMPTY", value: null },
                  { value: "http://shop:80/#top" },
                  { name: "LATER", value: "folded text\nnew paragraph" },
                ],
              },
            ],
            volumes: [],
            nodeSelector: {},
          },
        },
      },
    });
  });

  test.for([
    { does: "a text over several lines", text: "a: one\n  two\n\n  three # end\nb: 1\n" },
    { does: "quoted texts over several lines", text: "a: \"one\n  two\n\n  three\"\nb: 'x\n  y'\n" },
    { does: "a list that begins at its key's indent", text: "a:\n- 1\n- - x\n  - y\n- b: 1\n  c: 2\nd: 3\n" },
    { does: "values on lines of their own", text: 'a:\n  text\nb:\n  "quoted"\nc:\n  [1,\n   2]\n' },
    {
      does: "literal blocks with every end",
      text: "a: |\n  x\n\n\nb: |-\n  x\n\nc: |+\n  x\n\n\nd: |2\n    x\ne: >+\n  x\n\n",
    },
    { does: "empty blocks", text: "a: |\nb: |-\nc: >\n\n" },
    { does: "a block in a list", text: "- |\n  x\n- >-\n y\n" },
    {
      does: "comments everywhere",
      text: "# one\na: # two\n  # three\n  b: 1 # four\n# five\nc: # six\n  - 1 # seven\n",
    },
    { does: "quoted keys", text: "\"a b\": 1\n'c''d': 2\n" },
    { does: "JSON in braces", text: '{"a": {"b":[1, true, null, "x"]},\n "c": 1.5}\n' },
    { does: "hashes and colons inside of words", text: "a: b#c\nd: e:f\ng: http://x/y#z\nh: a - b\n" },
    { does: "nothing", text: "# only a comment\n\n" },
    { does: "indented roots", text: "  a: 1\n  b: 2\n" },
    {
      does: "doubled quotes over several lines",
      text: "a: 'self == ''x'' ?\n  y : ''z'''\nb: ''''\nc: ['''', '']\n",
    },
    { does: "colons in comments", text: "- a # note: this\n- b # and: that\n" },
    { does: "empty values in lists", text: "-\n- a\n-\n" },
    { does: "dashes in a text that goes on", text: "a: b\n  - c\n" },
  ])("reads $does", ({ text }) => {
    const value = readPlain(text);
    expect(value).not.toBe("not plain");
    expect(value ?? null).toEqual(readSlowly(text));
  });

  test.for([
    {
      does: "anchors and aliases",
      text: "a: &x 1\nb: *x\nc: &y # why\n  d: *x\ne: [*y, &z {f: 1}, *z]\ng: &l\n- 1\nh: *l\n",
    },
    {
      does: "merge keys",
      text: "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\ne:\n  <<: [*x, {f: 1, b: 2}]\ng: {<<: *x, h: 1}\n",
    },
    { does: "anchors in lists", text: "- &a\n  b: 1\n- &c text\n- *a\n- *c\n- &d\n- e\n" },
    { does: "keys of words", text: "a b: 1\nc (d): 2\n80: x\ntrue: y\nGröße: 3\na@b: 4\n" },
    {
      does: "every escape",
      text: 'a: "\\x41\\u00e4\\U0001F600\\ud83d\\ude00\\0\\a\\e\\_\\N\\L\\P\\ \\/\\\t"\n',
    },
    { does: "escaped line breaks", text: 'a: "one\\\n  \\ two\n\n  three \\\\\n  four\\ \n  five"\n' },
    {
      does: "folded blocks with lines further in",
      text: "a: >\n  x\n  y\n    z\n\n    z\n  u\n\n\n  v\nb: >-\n\n  x\n  \ty\n",
    },
    { does: "tabs that mean nothing", text: "a: 1\t# x\n \t\nb:\t2\nc: x\ty\nd:\n- [1,\t2]\n" },
    { does: "comments in brackets", text: "a: [ # one\n  1, # two\n  # three\n  2\n]\nb: {\n  c: 1,\n}\n" },
  ])("reads $does, without the library", ({ text }) => {
    const value = readPlain(text);
    expect(value).not.toBe("not plain");
    expect(value).toEqual(readSlowly(text));
  });

  test.for([
    { what: "tags", text: "a: !!str 1\n" },
    { what: "keys that are no text", text: "on: 1\n" },
    { what: "complex keys", text: "? a\n: b\n" },
    { what: "tabs as indents", text: "a:\n\tb: 1\n" },
    { what: "tabs behind dashes", text: "- \ta: 1\n  b: 2\n" },
    { what: "keys that are there twice", text: "a: 1\nb: 2\na: 3\n" },
    { what: "keys that are there twice in braces", text: "{a: 1, a: 2}\n" },
    { what: "the key __proto__", text: "__proto__: 1\n" },
    { what: "numbers that would lose digits", text: "a: 9007199254740993\n" },
    { what: "two colons on a line", text: "a: b: c\n" },
    { what: "wrong indents", text: "a:\n    b: 1\n  c: 2\n" },
    { what: "quotes without an end", text: 'a: "b\n' },
    { what: "brackets without an end", text: "a: [1, 2\n" },
    { what: "reserved characters", text: "a: @b\n" },
    { what: "aliases of nothing", text: "a: *x\n" },
    { what: "aliases inside of their anchors", text: "a: &x\n  - *x\n" },
    { what: "aliases of an anchor that is being given anew", text: "a: &x 1\nb: &x [*x]\n" },
    { what: "brackets that go on too far out", text: "a:\n  b: [1,\n 2]\n" },
    { what: "anchors of keys", text: "- &a b: 1\n  c: 2\n" },
    { what: "two anchors", text: "a: &x &y 1\n" },
    { what: "merges behind what they bring", text: "a: 1\n<<: {a: 2}\n" },
    { what: "merges of text", text: "<<: a\n" },
    { what: "unknown escapes", text: 'a: "\\q"\n' },
    { what: "halves of characters", text: 'a: "\\ud800"\n' },
    { what: "deep nests", text: `${"[".repeat(200)}${"]".repeat(200)}\n` },
    { what: "deep lists", text: `${"- ".repeat(200)}x\n` },
  ])("leaves $what to the library", ({ text }) => {
    expect(readPlain(text)).toBe("not plain");
  });

  test("bounds what aliases stand for", () => {
    const rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let row = 1; row < 9; row++) {
      rows.push(`a${row}: &a${row} [${Array.from({ length: 10 }, () => `*a${row - 1}`).join(", ")}]`);
    }
    expect(readPlain(`${rows.join("\n")}\n`)).toBe("not plain");
    const merges = `a: &a {x: "${"y".repeat(1_000)}"}\nb: [${Array.from({ length: 2_000 }, () => "{<<: *a}").join(",")}]\n`;
    expect(readPlain(merges)).toBe("not plain");
  });
});
