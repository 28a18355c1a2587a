import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WatchError } from "../../../operator/errors.ts";
import { RunningReflector } from "../../fakes/running-reflector.ts";
import type { ScriptedWatchSource } from "../../fakes/scripted-watch-source.ts";
import { busy, expired, refused, reset, tooLarge, unsupported } from "../../fakes/watch-errors.ts";
import { limitRuns } from "../../long.ts";

const errors = {
  busy: () => busy(),
  expired,
  forbidden: () => new WatchError("forbidden", { status: 403 }),
  internal: () => new WatchError("internal error", { status: 500 }),
  missing: () => new WatchError("not found", { status: 404 }),
  refused,
  reset,
  tooLarge,
  unsupported,
};
const faults = fc.constantFrom(...(Object.keys(errors) as (keyof typeof errors)[]));
const names = fc.constantFrom("a", "b", "c", "d");

type Move =
  | { readonly do: "put" | "recreate" | "remove"; readonly name: string }
  | { readonly do: "fail"; readonly fault: keyof typeof errors; readonly requests: number }
  | { readonly do: "cut"; readonly fault: keyof typeof errors | undefined }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "compact" | "bookmark" | "close" | "hold" | "release" };

const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("put", "recreate", "remove"), name: names }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("fail"),
      fault: faults,
      requests: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("cut"), fault: fc.option(faults, { nil: undefined }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("pass"), ms: fc.constantFrom(0, 500, 3_000, 60_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("compact", "bookmark", "close", "hold", "release") }),
  },
);

async function play(move: Move, { source, clock }: RunningReflector): Promise<void> {
  switch (move.do) {
    case "put":
      source.put({
        name: move.name,
        uid: source.content.get(`shop/${move.name}`)?.metadata.uid ?? source.version,
      });
      break;
    case "recreate":
    case "remove":
      if (source.content.has(`shop/${move.name}`)) source.remove(`shop/${move.name}`);
      if (move.do === "recreate") source.put({ name: move.name, uid: source.version });
      break;
    case "fail": {
      let left = move.requests;
      source.intercept = () => (left-- > 0 ? errors[move.fault]() : undefined);
      break;
    }
    case "close":
      source.intercept = ({ verb }) => (verb === "watch" ? "close" : undefined);
      break;
    case "cut":
      source.cut(move.fault && errors[move.fault]());
      break;
    case "pass":
      await clock.advance(move.ms);
      break;
    default:
      source[move.do]();
  }
}

describe("Reflector, with a server and random faults", () => {
  test.for([
    { way: "initial events", prepare: () => {} },
    {
      way: "lists in pages",
      prepare: (source: ScriptedWatchSource) => {
        source.initialEvents = "rejected";
        source.alwaysPages = true;
      },
    },
  ])(
    "with $way the store is finally equal to the server's state, and so is the handler's",
    async ({ prepare }) => {
      await fc.assert(
        fc.asyncProperty(fc.array(moves, { maxLength: 30 }), async (script) => {
          await using running = await RunningReflector.start({ prepare });
          const { source, clock, store, handler } = running;
          for (const move of script) await play(move, running);

          source.intercept = () => undefined;
          source.release();
          expect(await clock.advanceUntil(() => store.hasSynced, { withinMs: 120_000 })).toBe(true);
          // Longer than any wait between attempts.
          await clock.advance(120_000);
          expect(running.content).toEqual(running.serverContent);
          expect(knownBy(handler.lines)).toEqual(running.serverContent);
          expect(running.reflector.state.state).toBe("synced");
        }),
        { numRuns: limitRuns(200) },
      );
    },
  );
});

/** The content as one knows it who only listens. */
function knownBy(lines: readonly string[]): Record<string, string> {
  const known: Record<string, string> = {};
  for (const line of lines) {
    const [, verb, key = "", version = ""] = /^(\w+) (\S+)@(\d+)/.exec(line) ?? [];
    if (verb === "deleted") delete known[key];
    else known[key] = version;
  }
  return known;
}
