import { describe, expect, test } from "vitest";
import { WatchError } from "../../../operator/errors.ts";
import { decideNext, type Outcome } from "../../../operator/runtime/reflector-next.ts";
import { busy, expired, refused, reset, tooLarge, unsupported } from "../../fakes/watch-errors.ts";

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
      "a list too old asks for the newest",
      { ...list, error: expired() },
      { step: "list", wait: "none", versionUnusable: true },
    ],
    [
      "a list too new asks for the newest",
      { ...list, error: tooLarge() },
      { step: "list", wait: "none", versionUnusable: true },
    ],
    [
      "a newest list that is too old waits",
      { ...list, resourceVersion: "", error: expired() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "a failing list waits",
      { ...list, error: status(503) },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "a refused list waits",
      { ...list, error: refused() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "a defect in a list waits",
      { ...list, error: new TypeError() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "a missing kind is waited for",
      { ...list, error: status(404) },
      { step: "fill", wait: "kind", finding: "missing" },
    ],
    [
      "a kind missing for a watch is waited for",
      { ...watch, error: status(404) },
      { step: "fill", wait: "kind", finding: "missing" },
    ],
    [
      "a forbidden kind waits",
      { ...initial, error: status(403) },
      { step: "fill", wait: "backoff", finding: "forbidden" },
    ],

    [
      "unknown initial events are never asked for again",
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
      "initial events cut half-way are asked for again",
      { ...initial, received: true, error: reset() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "initial events of a busy server wait",
      { ...initial, error: busy() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "initial events from too old a version ask for the newest",
      { ...initial, resourceVersion: "7", error: expired() },
      { step: "fill", wait: "none", versionUnusable: true },
    ],
    [
      "newest initial events that are too old wait",
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
      "a watch reset at once waits",
      { ...watch, received: false, lasted: false, error: reset() },
      { step: "watch", wait: "backoff", finding: "failing" },
    ],
    [
      "a watch closed at once gets everything again",
      { ...watch, received: false, lasted: false },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "a refused watch waits",
      { ...watch, error: refused() },
      { step: "watch", wait: "backoff", finding: "failing" },
    ],
    [
      "a watch of a busy server waits",
      { ...watch, error: busy() },
      { step: "watch", wait: "backoff", finding: "failing" },
    ],
    [
      "a watch too old gets everything again",
      { ...watch, error: expired() },
      { step: "fill", wait: "backoff" },
    ],
    [
      "a failing watch gets everything again",
      { ...watch, error: status(500) },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "a failure in our own code gets everything again",
      { ...watch, error: new TypeError() },
      { step: "fill", wait: "backoff", finding: "failing" },
    ],
    [
      "initial events that became a watch end like one",
      { ...initial, filled: true, lasted: true },
      { step: "watch", wait: "none" },
    ],
  ])("%s", ([, outcome, next]) => {
    expect(decideNext(outcome)).toEqual(next);
  });
});
