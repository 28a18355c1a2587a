import { describe, expect, test } from "vitest";
import { read, readOtherwise } from "../../fakes/yaml-readers.ts";

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

describe("readYaml()", () => {
  test("reads a Deployment with all constructs that manifests use", () => {
    const value = read(deployment);
    expect(value).toEqual(readOtherwise(deployment));
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
    { does: "a list at the indentation of its key", text: "a:\n- 1\n- - x\n  - y\n- b: 1\n  c: 2\nd: 3\n" },
    { does: "values on lines of their own", text: 'a:\n  text\nb:\n  "quoted"\nc:\n  [1,\n   2]\n' },
    {
      does: "literal blocks with every chomping indicator",
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
    { does: "hashes and colons within words", text: "a: b#c\nd: e:f\ng: http://x/y#z\nh: a - b\n" },
    { does: "nothing", text: "# only a comment\n\n" },
    { does: "indented roots", text: "  a: 1\n  b: 2\n" },
    {
      does: "doubled quotes over several lines",
      text: "a: 'self == ''x'' ?\n  y : ''z'''\nb: ''''\nc: ['''', '']\n",
    },
    { does: "colons in comments", text: "- a # note: this\n- b # and: that\n" },
    { does: "empty values in lists", text: "-\n- a\n-\n" },
    { does: "dashes in a text that continues", text: "a: b\n  - c\n" },
  ])("reads $does", ({ text }) => {
    expect(read(text)).toEqual(readOtherwise(text));
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
    { does: "keys that are words such as yes", text: "a b: 1\nc (d): 2\n80: x\ntrue: y\nGröße: 3\na@b: 4\n" },
    {
      does: "every escape",
      text: 'a: "\\x41\\u00e4\\U0001F600\\ud83d\\ude00\\0\\a\\e\\_\\N\\L\\P\\ \\/\\\t"\n',
    },
    { does: "escaped line breaks", text: 'a: "one\\\n  \\ two\n\n  three \\\\\n  four\\ \n  five"\n' },
    {
      does: "folded blocks with more indented lines",
      text: "a: >\n  x\n  y\n    z\n\n    z\n  u\n\n\n  v\nb: >-\n\n  x\n  \ty\n",
    },
    { does: "tabs without a meaning", text: "a: 1\t# x\n \t\nb:\t2\nc: x\ty\nd:\n- [1,\t2]\n" },
    { does: "comments in brackets", text: "a: [ # one\n  1, # two\n  # three\n  2\n]\nb: {\n  c: 1,\n}\n" },
  ])("reads $does", ({ text }) => {
    expect(read(text)).toEqual(readOtherwise(text));
  });

  test.for([
    { what: "tags", text: "a: !!str 1\n", value: { a: "1" } },
    { what: "complex keys", text: "? a\n: b\n", value: { a: "b" } },
    { what: "anchors of keys", text: "- &a b: 1\n  c: *a\n", value: [{ b: 1, c: "b" }] },
    {
      what: "brackets that end at the indentation of their key",
      text: "a:\n  b: {\n    c: [\n    ],\n  }\n",
      value: { a: { b: { c: [] } } },
    },
    {
      what: "brackets that end with less indentation",
      text: "a:\n- b: [\n    1\n]\n",
      value: { a: [{ b: [1] }] },
    },
    {
      what: "such brackets next to block scalars that contain some",
      text: "a: [\n]\nb:\n- |\n  {\n  }\n- >- # {\n\n    ]\n    'x'\n    '\n",
      value: { a: [], b: ["{\n}\n", "\n] 'x' '"] },
    },
    {
      what: "quotes that end at the indentation of their key",
      text: "a: \"b\n\" # c\nd: 'e\n'\n",
      value: { a: "b ", d: "e " },
    },
    {
      what: "blank lines after escaped line breaks",
      text: 'a: "b\\\n  \n\n  c\\\n d\\\\\n\n e"\n',
      value: { a: "b\n\ncd\\\ne" },
    },
    {
      what: "tabs between brackets",
      text: 'a: [\n]\nb:\t{c:\t"\t,\t",\t d: [\t1,\t2]}\n',
      value: { a: [], b: { c: "\t,\t", d: [1, 2] } },
    },
  ])("reads $what as kubectl does", ({ text, value }) => {
    expect(read(text)).toEqual(value);
  });
});
