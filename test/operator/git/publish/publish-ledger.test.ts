import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BranchView, emptyBranch } from "../../../../operator/git/publish/branch-clone.ts";
import { toText } from "../../../../operator/git/publish/ledger-entry.ts";
import { type PendingFolder, PublishLedger } from "../../../../operator/git/publish/publish-ledger.ts";
import type { PublishOffer } from "../../../../operator/ports.ts";
import { limitRuns } from "../../../long.ts";
import { anOffer, folderOf } from "./publisher-harness.ts";

describe("PublishLedger", () => {
  test("removes the folder of a resource again that was deleted while its commit was pushed", () => {
    const ledger = new PublishLedger();
    ledger.setBranch({ ...emptyBranch(), head: "a".repeat(40) }, "sha1");
    ledger.publish(anOffer(), 0);
    const pushed = ledger.pending();

    ledger.retire(folderOf("hello"));
    ledger.recordPush(pushed, [], "b".repeat(40));

    expect([...ledger.retired()]).toEqual([[folderOf("hello"), "Echo shop/hello"]]);
    expect(ledger.hasWork).toBe(true);

    ledger.recordPush([], [folderOf("hello")], "c".repeat(40));
    expect(ledger.hasWork).toBe(false);
  });

  test("does not remove it when the resource was recreated in the meantime", () => {
    const ledger = new PublishLedger();
    ledger.setBranch({ ...emptyBranch(), head: "a".repeat(40) }, "sha1");
    ledger.publish(anOffer(), 0);
    const pushed = ledger.pending();

    ledger.retire(folderOf("hello"));
    ledger.publish(anOffer(), 1);
    ledger.recordPush(pushed, [], "b".repeat(40));

    expect(ledger.hasWork).toBe(false);
    expect(ledger.publish(anOffer(), 2)).toMatchObject({ state: "published" });
  });

  test("does not restore or remove a folder that is to stay on the branch", () => {
    const ledger = new PublishLedger();
    ledger.setBranch({ ...emptyBranch(), head: "a".repeat(40) }, "sha1");
    ledger.publish(anOffer(), 0);
    const pushed = ledger.pending();

    ledger.retire(folderOf("hello"), { keepFiles: true });
    ledger.recordPush(pushed, [], "b".repeat(40));
    expect(ledger.hasWork).toBe(false);

    ledger.setBranch({ ...emptyBranch(), head: "c".repeat(40) }, "sha1");
    expect(ledger.hasWork).toBe(false);
    expect(ledger.publish(anOffer(), 1)).toMatchObject({ state: "pending" });
  });
});

const name = fc.constantFrom("one", "two", "three");
const event = fc.oneof(
  fc.record({ is: fc.constant("offer" as const), name, version: fc.nat(2) }),
  fc.record({ is: fc.constant("retire" as const), name }),
  fc.record({ is: fc.constantFrom("commit" as const, "land" as const) }),
  fc.record({ is: fc.constant("poll" as const), lost: fc.subarray(["one", "two", "three"]) }),
  fc.record({ is: fc.constant("fail" as const), reason: fc.constantFrom("PushRefused", undefined) }),
);

/** Owners that offer again after each notification, as controllers do. */
class Owners {
  readonly ledger = new PublishLedger();
  readonly told = new Map<string, string>();
  readonly #offers = new Map<string, PublishOffer>();
  #view: BranchView = { ...emptyBranch(), head: "a".repeat(40) };
  #commit: { readonly written: PendingFolder[]; readonly removed: string[] } = { written: [], removed: [] };
  #commits = 0;

  constructor() {
    this.ledger.setBranch(this.#view, "sha1");
  }

  take(event: Event): void {
    const { ledger } = this;
    if (event.is === "offer") this.#publish(anOffer({ name: event.name, generation: event.version }));
    if (event.is === "retire") this.#retire(event.name);
    if (event.is === "commit")
      this.#commit = { written: ledger.pending(), removed: [...ledger.retired().keys()] };
    if (event.is === "land")
      ledger.recordPush(
        this.#commit.written,
        this.#commit.removed,
        String(++this.#commits).padStart(40, "0"),
      );
    if (event.is === "poll") this.#poll(event.lost);
    if (event.is === "fail")
      ledger.setFailure(event.reason && { reason: event.reason as "PushRefused", message: "no" });
    for (const { key } of ledger.changed()) this.again(key);
  }

  /** The answer to the owner if it repeats its offer. */
  again(key: string): string {
    const offer = this.#offers.get(key);
    if (offer === undefined) throw new Error(`${key} offers nothing`);
    return this.#publish(offer);
  }

  #publish(offer: PublishOffer): string {
    const { key } = offer.owner;
    this.#offers.set(key, offer);
    const answer = toText(this.ledger.publish(offer, 0));
    this.told.set(key, answer);
    return answer;
  }

  #retire(name: string): void {
    const { owner } = anOffer({ name });
    this.#offers.delete(owner.key);
    this.told.delete(owner.key);
    this.ledger.retire(folderOf(name));
  }

  /** Another user removed folders. */
  #poll(lost: readonly string[]): void {
    const trees = new Map(this.#view.trees);
    for (const name of lost) trees.delete(folderOf(name));
    this.#view = { ...this.#view, trees };
    this.ledger.setBranch(this.#view, "sha1");
  }
}

type Event = typeof event extends fc.Arbitrary<infer One> ? One : never;

const offered: Event = { is: "offer", name: "one", version: 0 };
const retired: Event = { is: "retire", name: "one" };
const committed: Event = { is: "commit" };
const landed: Event = { is: "land" };
/** The resource is recreated during the commit that removes its folder. */
const madeAnew = [offered, committed, landed, retired, committed, offered, landed];

test("PublishLedger.changed() names all owners whose answer would change, for any changes", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const owners = new Owners();
      for (const one of events) owners.take(one);
      for (const [key, told] of [...owners.told]) expect(owners.again(key)).toBe(told);
    }),
    { numRuns: limitRuns(500), examples: [[madeAnew]] },
  );
});
