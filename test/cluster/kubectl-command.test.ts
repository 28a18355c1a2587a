import { expect, test } from "vitest";
import { parseKubectl } from "./kubectl-command.ts";

test.for<[string, readonly string[], Readonly<Record<string, readonly string[]>>]>([
  ["get pods", ["pods"], {}],
  ["delete job web -n shop --wait=false", ["job", "web"], { namespace: ["shop"], wait: ["false"] }],
  ["apply --server-side -f -", [], { "server-side": ["true"], filename: ["-"] }],
  ["get crd -o name -A", ["crd"], { output: ["name"], "all-namespaces": ["true"] }],
  ["create -f - --as-group=a --as-group=b=c", [], { filename: ["-"], "as-group": ["a", "b=c"] }],
  ["get pods --namespace shop", ["pods"], { namespace: ["shop"] }],
  ["get pods -w", ["pods"], { "-w": ["true"] }],
])("reads the words and options of kubectl %s", ([text, words, options]) => {
  const command = parseKubectl(text.split(" "));
  expect(command.verb).toBe(text.split(" ")[0]);
  expect(command.words).toEqual(words);
  expect(Object.fromEntries(command.options)).toEqual(options);
});
