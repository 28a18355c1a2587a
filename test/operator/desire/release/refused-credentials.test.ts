import { expect, test } from "vitest";
import { forgetRefused } from "../../../../operator/desire/release/refused-credentials.ts";
import type { SourceState } from "../../../../operator/git/source/ports.ts";
import { aRevision } from "../../../fakes/releases.ts";

const refused = { reason: "SourceRefused", message: "expired" } as const;
const unreachable = { reason: "SourceUnreachable", message: "no answer" } as const;
const ready = { state: "ready", revision: aRevision("1"), handledRequest: undefined } as const;

test.for<{ readonly of: string; readonly source: SourceState; readonly isRefused: boolean }>([
  { of: "a first poll that was refused", source: { state: "failed", failure: refused }, isRefused: true },
  { of: "a later poll that was refused", source: { ...ready, stale: refused }, isRefused: true },
  { of: "a poll that failed otherwise", source: { state: "failed", failure: unreachable }, isRefused: false },
  { of: "a later poll that failed otherwise", source: { ...ready, stale: unreachable }, isRefused: false },
  { of: "a successful poll", source: ready, isRefused: false },
  { of: "a running poll", source: { state: "pending" }, isRefused: false },
])("forgets only credentials that were refused: $of", ({ source, isRefused }) => {
  const forgotten: unknown[] = [];
  const secrets = { forget: (ref: object) => void forgotten.push(ref) };
  expect(forgetRefused(source, { namespace: "shop", secretRef: { name: "git" } }, secrets)).toBe(isRefused);
  expect(forgotten).toEqual(isRefused ? [{ namespace: "shop", name: "git" }] : []);
  // Without a Secret there is nothing to read again, but the host may grant access.
  expect(forgetRefused(source, { namespace: "shop", secretRef: undefined }, secrets)).toBe(isRefused);
  expect(forgotten).toHaveLength(isRefused ? 1 : 0);
});
