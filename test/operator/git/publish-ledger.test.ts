import { describe, expect, test } from "vitest";
import { emptyBranch } from "../../../operator/git/branch-view.ts";
import { PublishLedger } from "../../../operator/git/publish-ledger.ts";
import { anOffer, folderOf } from "./publisher-harness.ts";

describe("PublishLedger", () => {
  test("takes the folder of a resource that went while its commit was pushed away again", () => {
    const ledger = new PublishLedger();
    ledger.setBranch({ ...emptyBranch(), head: "a".repeat(40) }, "sha1");
    ledger.publish(anOffer(), 0);
    const pushed = ledger.pending();

    ledger.retire(folderOf("hello"));
    ledger.landed(pushed, [], "b".repeat(40));

    expect([...ledger.retired()]).toEqual([[folderOf("hello"), "Echo shop/hello"]]);
    expect(ledger.hasWork).toBe(true);

    ledger.landed([], [folderOf("hello")], "c".repeat(40));
    expect(ledger.hasWork).toBe(false);
  });

  test("leaves it alone when the resource was made again meanwhile", () => {
    const ledger = new PublishLedger();
    ledger.setBranch({ ...emptyBranch(), head: "a".repeat(40) }, "sha1");
    ledger.publish(anOffer(), 0);
    const pushed = ledger.pending();

    ledger.retire(folderOf("hello"));
    ledger.publish(anOffer(), 1);
    ledger.landed(pushed, [], "b".repeat(40));

    expect(ledger.hasWork).toBe(false);
    expect(ledger.publish(anOffer(), 2)).toMatchObject({ state: "published" });
  });
});
