import type { CustomResource, LiveObject } from "../../crds/object.ts";
import { groupKindOf } from "../../crds/object.ts";
import type { KindStores } from "../../operator/runtime/kind-stores.ts";
import { setOf } from "../../synth/stamp.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { formatTable, rowOf, type TableRow } from "../live-table.ts";

export interface LiveViewOptions {
  readonly kinds: readonly SynthesizableKind[];
  readonly stores: KindStores;
  readonly output: NodeJS.WriteStream;
  /** Lines under the table. */
  readonly footer: readonly string[];
}

/** So often at most is the table drawn anew, however fast things change. */
const drawIntervalMs = 200;

/** Shows a table of all resources and draws it anew when something changed. The result ends it. */
export function showLiveView(options: LiveViewOptions): () => void {
  const { stores, output } = options;
  let drawn = "";
  let lines = 0;
  let pending: NodeJS.Timeout | undefined;
  const draw = (): void => {
    pending = undefined;
    const text = frameOf(options);
    if (text === drawn) return;
    drawn = text;
    // A terminal gets the new frame over the old one; a file gets one frame after the other.
    if (output.isTTY && lines > 0) output.write(`\u001b[${lines}A\u001b[J`);
    output.write(`${text}\n`);
    lines = text.split("\n").length;
  };
  const ask = (): void => {
    pending ??= setTimeout(draw, drawIntervalMs);
  };
  for (const role of ["resource", "child"] as const) {
    stores.subscribe(role, () => ({ added: ask, updated: ask, deleted: ask }));
  }
  return () => clearTimeout(pending);
}

function frameOf({ kinds, stores, output, footer }: LiveViewOptions): string {
  const rows = kinds.flatMap((kind): TableRow[] =>
    [...stores.resources(kind.definition).list()].map((resource) =>
      rowOf(kind.definition, resource as CustomResource, childrenOf(kind, resource, stores)),
    ),
  );
  const width = output.isTTY ? output.columns : 160;
  const table = formatTable(rows, width);
  return output.isTTY ? [...table, "", ...footer].join("\n") : `${table.join("\n")}\n`;
}

function childrenOf(
  kind: SynthesizableKind,
  resource: LiveObject,
  stores: KindStores,
): readonly LiveObject[] {
  const set = setOf(kind.definition, resource);
  const seen = new Set<string>();
  return kind.children.flatMap((child) => {
    if (seen.has(groupKindOf(child))) return [];
    seen.add(groupKindOf(child));
    return stores.children(child).byIndex("set", set);
  });
}
