import { describe, expect, test } from "vitest";
import { publishAt } from "../../../operator/engine/publish-at.ts";
import type { PublishedRecord, PublishOffer, PublishState } from "../../../operator/ports.ts";
import { anOffer } from "../git/publish/publisher-harness.ts";

const record = { digest: "d", tree: "t", commit: "c" };

/** The status that a publisher receives, and the result of its answer. */
function publish(last: PublishedRecord | undefined, answer: PublishState = { state: "published", record }) {
  const told: PublishOffer["last"][] = [];
  const publisher = {
    publish: (offer: PublishOffer) => {
      told.push(offer.last);
      return answer;
    },
    retire: () => undefined,
  };
  const offer = { ...anOffer(), last };
  return { published: publishAt("here", offer, publisher), told };
}

const inPlace = (last: PublishedRecord, place: string) => ({ ...last, place });

describe("publishAt()", () => {
  test.for([
    { does: "sets the location of a new publication", last: undefined, told: undefined, place: "here" },
    { does: "uses a status of its location", last: inPlace(record, "here"), place: "here" },
    {
      does: "does not use a status of another location",
      last: inPlace(record, "there"),
      told: undefined,
      place: "here",
    },
    { does: "uses a status without a location, and does not add one", last: record },
    {
      does: "sets the location when the commit changes",
      last: { ...record, commit: "b" },
      place: "here",
    },
    { does: "sets the location when the files change", last: { ...record, tree: "s" }, place: "here" },
    {
      does: "sets the location when the digest changes",
      last: { ...record, digest: "e" },
      place: "here",
    },
  ])("$does", (row) => {
    const { told, published } = publish(row.last);
    expect(told).toEqual(["told" in row ? row.told : row.last]);
    const expected = row.place === undefined ? record : { ...record, place: row.place };
    expect(published).toStrictEqual({ state: "published", record: expected });
  });

  test.for<PublishState>([
    { state: "pending", sinceMs: 5 },
    { state: "failed", reason: "PushRefused", message: "the remote said no" },
  ])("returns the state $state", (answer) => {
    expect(publish(inPlace(record, "there"), answer).published).toBe(answer);
  });
});
