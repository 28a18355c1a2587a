import type { DeclaredKind } from "../../crds/binding.ts";
import type { CustomResource, LiveObject } from "../../crds/object.ts";
import { Release } from "../../crds/release.ts";
import type { KindStores } from "../../operator/runtime/kind-stores.ts";
import { setOf } from "../../synth/stamp.ts";
import {
  composeFrame,
  type ReleaseRow,
  releaseRowOf,
  rowOf,
  rowsOnScreen,
  type TableRow,
} from "../live-table.ts";
import { toTerminalText } from "../terminal-text.ts";
import type { LastEvents } from "./last-events.ts";

export interface LiveViewOptions {
  readonly kinds: readonly DeclaredKind[];
  readonly stores: KindStores;
  /** The last events of the operator. */
  readonly events: LastEvents;
  readonly output: Screen;
  /** Lines below the table. */
  readonly footer: readonly string[];
}

/** A terminal, or a file or pipe that receives the same text. */
export type Screen = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "rows" | "write" | "on" | "off">;

/** Minimum interval between two frames. */
const drawIntervalMs = 200;
/** Width for a file, which has none. */
const wideColumns = 160;

/** Shows a table of all Releases and one of all other resources, and redraws them after changes. The result ends it. */
export function showLiveView(options: LiveViewOptions): () => void {
  const { kinds, stores, events, output } = options;
  const footer = output.isTTY ? options.footer : [];
  if (!output.isTTY) output.write(`${options.footer.join("\n")}\n\n`);
  let drawn: readonly string[] = [];
  let pending: NodeJS.Timeout | undefined;
  const draw = (): void => {
    pending = undefined;
    const releases = kinds.flatMap((kind) => releasesOf(kind, stores));
    const rows = kinds.flatMap((kind) => rowsOf(kind, stores));
    const columns = output.isTTY ? output.columns : wideColumns;
    const frame = composeFrame({
      releases,
      rows,
      events: events.rows,
      footer,
      columns,
      lines: output.isTTY ? output.rows : undefined,
    }).map(toTerminalText);
    if (frame.join("\n") === drawn.join("\n")) return;
    // On a terminal the new frame overwrites the old one, which may be wrapped; in a file the frames follow each other.
    const up = output.isTTY ? rowsOnScreen(drawn, columns) : 0;
    output.write(`${up > 0 ? `\u001b[${up}F\u001b[J` : ""}${frame.join("\n")}\n${output.isTTY ? "" : "\n"}`);
    drawn = frame;
  };
  const ask = (): void => {
    pending ??= setTimeout(draw, drawIntervalMs);
  };
  const subscriptions = stores.watched
    .filter(({ role }) => role === "resource" || role === "child")
    .map(({ store }) => store.subscribe({ added: ask, updated: ask, deleted: ask }));
  events.onChange(ask);
  output.on("resize", ask);
  ask();
  return () => {
    clearTimeout(pending);
    output.off("resize", ask);
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
}

function releasesOf({ definition }: DeclaredKind, stores: KindStores): readonly ReleaseRow[] {
  if (definition !== Release) return [];
  return ([...stores.resources(definition).list()] as CustomResource[]).map(releaseRowOf);
}

function rowsOf(kind: DeclaredKind, stores: KindStores): readonly TableRow[] {
  if (kind.definition === Release) return [];
  const resources = [...stores.resources(kind.definition).list()] as CustomResource[];
  return resources.map((resource) => rowOf(kind.definition, resource, childrenOf(kind, resource, stores)));
}

function childrenOf(
  { definition, children }: DeclaredKind,
  resource: CustomResource,
  stores: KindStores,
): readonly LiveObject[] {
  const set = setOf(definition, resource);
  return children.flatMap((child) => stores.children(child).byIndex("set", set));
}
