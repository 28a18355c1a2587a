import { printable } from "./columns.ts";
import { isWell, type TreeNode } from "./tree-node.ts";

/** Maximum number of objects shown per kind, unhealthy ones first; fewer below one object. */
const mostOfKind = 15;
const mostBehind = 5;
const longestName = 60;

interface Line {
  readonly name: string;
  readonly health: string;
  readonly message: string;
}

/** The tree as lines of at most `width` characters; omitted objects are counted. Pure. */
export function formatTree(
  nodes: readonly TreeNode[],
  { width }: { readonly width: number },
): readonly string[] {
  const kinds = [...Map.groupBy(nodes, ({ id }) => id.split("/", 2).join("/")).values()];
  const shown = kinds.flatMap((ofKind) => choose(ofKind, mostOfKind));
  const lines = linesOf(shown, "");
  const nameWidth = Math.min(longestName, Math.max(0, ...lines.map(({ name }) => name.length)));
  const healthWidth = Math.max(0, ...lines.map(({ health }) => health.length));
  return lines.map(({ name, health, message }) => {
    if (health === "") return cut(name, width);
    const padded = `${cut(name, nameWidth).padEnd(nameWidth)}  ${health.padEnd(healthWidth)}  ${printable(message)}`;
    return cut(padded.trimEnd(), width);
  });
}

/** Shown items, and a text about the hidden ones. */
type Chosen = TreeNode | string;

function choose(nodes: readonly TreeNode[], most: number): readonly Chosen[] {
  if (nodes.length <= most) return nodes;
  const unwell = nodes.filter((node) => !isWell(node));
  const chosen = new Set([...unwell, ...nodes.filter(isWell)].slice(0, most));
  const left = nodes.filter((node) => !chosen.has(node));
  const leftUnwell = left.filter((node) => !isWell(node)).length;
  const state = leftUnwell === 0 ? "all healthy" : `${leftUnwell} of them not healthy`;
  const kind = new Set(nodes.map((node) => node.kind)).size === 1 ? `${nodes[0]?.kind} ` : "";
  return [
    ...nodes.filter((node) => chosen.has(node)),
    `… and ${left.length} more ${kind}objects, ${state} (-o json has all)`,
  ];
}

function linesOf(nodes: readonly Chosen[], indent: string): readonly Line[] {
  return nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1;
    const branch = `${indent}${isLast ? "└─ " : "├─ "}`;
    if (typeof node === "string") return [{ name: `${branch}${node}`, health: "", message: "" }];
    const { kind, namespace, name, health, message, children } = node;
    // Objects below another one are in its namespace, so it is not repeated.
    const place = indent === "" && namespace !== "" ? `${namespace}/` : "";
    const line = { name: printable(`${branch}${kind} ${place}${name}`), health, message };
    return [line, ...linesOf(choose(children, mostBehind), `${indent}${isLast ? "   " : "│  "}`)];
  });
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}
