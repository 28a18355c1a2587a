import { describe, expect, test } from "vitest";
import { WatchError } from "../../../operator/errors.ts";
import { decideNext, type Outcome } from "../../../operator/runtime/reflector-next.ts";
import {
  busy,
  expired,
  initializing,
  refused,
  reset,
  tooLarge,
  unsupported,
} from "../../fakes/watch-errors.ts";

const status = (code: number) => new WatchError(`status ${code}`, { status: code });
const list = {
  by: "list",
  resourceVersion: "0",
  filled: false,
  received: true,
  lasted: true,
  error: undefined,
} as const;
const initial = {
  by: "watch-list",
  resourceVersion: "",
  filled: false,
  received: false,
  lasted: false,
  error: undefined,
} as const;
const watch = {
  by: "watch",
  resourceVersion: "7",
  filled: true,
  received: true,
  lasted: true,
  error: undefined,
} as const;

describe("decideNext()", () => {
  test.for<[string, Outcome, object]>([
    ["a list is followed by a watch", { ...list, filled: true }, { step: "watch", wait: "none" }],
    [
      "after a list that is too old, the newest version is requested",
      { ...list, error: expired() },
      { step: "list", wait: "none", versionUnusable: true },
    ],
    [
      "after a list that is too new, the newest version is requested",
      { ...list, error: tooLarge() },
      { step: "list", wait: "none", versionUnusable: true },
    ],
    [
      "after a newest list that is too old, there is a delay",
      { ...list, resourceVersion: "", error: expired() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "after a failing list, there is a delay",
      { ...list, error: status(503) },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "after a refused list, there is a delay",
      { ...list, error: refused() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "after a defect in a list, there is a delay",
      { ...list, error: new TypeError() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "a missing kind is polled with a delay",
      { ...list, error: status(404) },
      { step: "fill", wait: "kind", finding: "missing" },
    ],
    [
      "a kind that is missing for a watch is polled with a delay",
      { ...watch, error: status(404) },
      { step: "fill", wait: "kind", finding: "missing" },
    ],
    [
      "after a forbidden kind, there is a delay",
      { ...initial, error: status(403) },
      { step: "fill", wait: "backoff", finding: "forbidden" },
    ],

    [
      "unsupported initial events are never requested again",
      { ...initial, error: unsupported() },
      { step: "list", wait: "none", watchList: "unsupported" },
    ],
    [
      "failing initial events fall back to a list",
      { ...initial, error: status(500) },
      { step: "list", wait: "none", watchList: "distrusted" },
    ],
    [
      "initial events closed at once fall back to a list",
      initial,
      { step: "list", wait: "none", watchList: "distrusted" },
    ],
    [
      "initial events reset at once fall back to a list",
      { ...initial, error: reset() },
      { step: "list", wait: "none", watchList: "distrusted" },
    ],
    [
      "truncated initial events are requested again",
      { ...initial, received: true, error: reset() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "after initial events of a busy server, there is a delay",
      { ...initial, error: busy() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "after initial events of a server that fills its cache, the reflector waits",
      { ...initial, error: initializing() },
      { step: "fill", wait: "backoff", finding: "initializing" },
    ],
    [
      "after initial events from a version that is too old, the newest version is requested",
      { ...initial, resourceVersion: "7", error: expired() },
      { step: "fill", wait: "none", versionUnusable: true },
    ],
    [
      "after newest initial events that are too old, there is a delay",
      { ...initial, error: expired() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],

    ["a watch at its end is followed by the next", watch, { step: "watch", wait: "none" }],
    [
      "a watch that was reset is followed by the next",
      { ...watch, error: reset() },
      { step: "watch", wait: "none" },
    ],
    [
      "after a watch that was reset at once, there is a delay",
      { ...watch, received: false, lasted: false, error: reset() },
      { step: "watch", wait: "backoff", finding: "failing" },
    ],
    [
      "after a watch that was closed at once, all objects are listed again",
      { ...watch, received: false, lasted: false },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "after a refused watch, there is a delay",
      { ...watch, error: refused() },
      { step: "watch", wait: "backoff", finding: "failing" },
    ],
    [
      "after a watch of a busy server, there is a delay",
      { ...watch, error: busy() },
      { step: "watch", wait: "backoff", finding: "failing" },
    ],
    [
      "after a watch of a server that fills its cache, the reflector waits",
      { ...watch, error: initializing() },
      { step: "watch", wait: "backoff", finding: "initializing" },
    ],
    [
      "after a watch that is too old, all objects are listed again",
      { ...watch, error: expired() },
      { step: "fill", wait: "backoff" },
    ],
    [
      "after a failing watch, all objects are listed again",
      { ...watch, error: status(500) },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "after a failure in our own code, all objects are listed again",
      { ...watch, error: new TypeError() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "initial events that continued as a watch end like a watch",
      { ...initial, filled: true, lasted: true },
      { step: "watch", wait: "none" },
    ],
  ])("%s", ([, outcome, next]) => {
    expect(decideNext(outcome)).toEqual(next);
  });
});
