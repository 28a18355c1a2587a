import { expect, test } from "vitest";
import { Promotion } from "../../crds/promotion.ts";
import { Release } from "../../crds/release.ts";
import { kubectlJson } from "./fixture.ts";
import { type SeenResource, untilCondition } from "./harness.ts";
import { aPipelineFixture } from "./pipeline-fixture.ts";

test("check 23: who approved, when, which digest, and which gates were skipped and why, is in objects and in trailers", async () => {
  const fixture = await aPipelineFixture();
  const { namespace, rendered, commit, untilStage } = fixture;
  const first = commit("1");
  await fixture.start();
  await fixture.follow();
  /** The trailers of the last commit of a Release's folder, as git reads them, once the commit is there. */
  const trailersOf = async (release: string): Promise<readonly string[]> => {
    await untilCondition(Release, namespace, { type: "Published", name: release });
    const folder = `${namespace}/releases.fairlead.dev/${release}`;
    const message = rendered.git(["log", "-1", "--format=%B", "main", "--", folder]);
    return rendered.git(["interpret-trailers", "--parse"], message).trim().split("\n");
  };
  const promotionOf = async (stage: string, revision: string): Promise<SeenResource> => {
    const { items } = await kubectlJson<{ readonly items: readonly SeenResource[] }>([
      ...["get", `promotions.${Promotion.group}`, "-n", namespace],
    ]);
    const found = items.find(
      ({ metadata, spec }) =>
        metadata.name.startsWith("shop-") && spec["stage"] === stage && spec["revision"] === revision,
    );
    return found ?? expect.fail(`no Promotion of ${stage} to ${revision}`);
  };
  const expected = ({ metadata, spec }: SeenResource): readonly string[] => [
    `Fairlead-Promotion: ${namespace}/${metadata.name}`,
    `Fairlead-Stage: shop/${spec["stage"]}`,
    `Fairlead-Digest: ${spec["digest"]}`,
  ];
  const decisions = (trailers: readonly string[]): readonly string[] =>
    trailers.filter((line) => !/^Fairlead-(Resource|Source|Version|Lease): /.test(line));

  // When dev gets a commit without any gate, then its trailers name the Promotion, and no user
  await untilStage("dev", { phase: "Passed", running: { revision: first } });
  expect(decisions(await trailersOf("dev"))).toEqual(expected(await promotionOf("dev", first)));

  // When a user approves it for prod, then the trailers of prod name this user
  await fixture.approve("ada@example.dev");
  await untilStage("prod", { phase: "Passed", running: { revision: first } });
  const approved = await promotionOf("prod", first);
  const [counted] = approved.spec["approvals"] as readonly { readonly by: string; readonly at: string }[];
  expect(counted).toMatchObject({ by: "ada@example.dev", digest: approved.spec["digest"] });
  expect(decisions(await trailersOf("prod"))).toEqual([
    ...expected(approved),
    `Fairlead-Approved-By: ada@example.dev at ${counted?.at}`,
  ]);

  // When a user skips the approval, with a reason that looks like trailers
  const second = commit("2");
  await untilStage("dev", { phase: "Passed", running: { revision: second } });
  await trailersOf("dev");
  const reason = [
    "checkout is down",
    "",
    "Approved-by: mallory",
    `Fairlead-Approved-By: mallory at ${counted?.at}\r\n\r\nFairlead-Lease: x/99`,
  ].join("\n");
  const bypass = ["Approvals", "Soak"];
  await fixture.promote("ann", { stage: "prod", revision: second, bypass, reason });
  await untilStage("prod", { phase: "Passed", running: { revision: second } });

  // Then the trailers contain the skipped gate, and the reason as one trailer.
  const hotfix = await promotionOf("prod", second);
  expect(hotfix.spec).toMatchObject({ by: "ann", bypass, reason });
  const trailers = await trailersOf("prod");
  expect(decisions(trailers)).toEqual([
    ...expected(hotfix),
    "Fairlead-Promoted-By: ann",
    "Fairlead-Bypassed: Approvals, Soak",
    `Fairlead-Reason: checkout is down Approved-by: mallory Fairlead-Approved-By: mallory at ${counted?.at} Fairlead-Lease: x/99`,
  ]);
  expect(trailers.filter((line) => /^[\w-]*(approved-by|lease): /i.test(line))).toEqual([
    expect.stringMatching(/^Fairlead-Lease: [0-9a-f-]+\/\d+$/),
  ]);
});
