import { join } from "node:path";
import { expect, test } from "vitest";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import { apiVersionOf, groupKindOf } from "../../crds/object.ts";
import { applyObjects, eventually, kubectl, readObject, testCluster } from "./fixture.ts";
import { Board, gallery } from "./gallery-kind.ts";
import { aHarness, applyResource, untilCondition } from "./harness.ts";
import { install } from "./install.ts";
import { isWrite, lineOf } from "./operator-user.ts";

const program = join(import.meta.dirname, "gallery-program.ts");
const type = groupKindOf(Board);

test("additions of others stay in the lists of a declared child that allow them, and are reverted in an atomic map", async () => {
  // Given an operator whose child is a declared kind
  const { definition } = gallery;
  await applyObjects(customResourceDefinitionOf(Board));
  await kubectl(["wait", "--for=condition=Established", "--timeout=180s", `crd/${type}`]);
  await install(testCluster(), { kinds: [gallery], name: "galleries" });
  const { namespace, user, start } = await aHarness({ program, rights: "galleries", publishes: false });
  const operator = await start(["--log-level=debug"]);
  await applyResource(definition, namespace, { path: "/" });
  await untilCondition(definition, namespace, { type: "Applied" });
  const reconciles = () => operator.log.filter(({ message }) => message === "Reconciled").length;
  const [since, before] = [new Date(), reconciles()];
  const writes = async () =>
    (await user.requests(since)).filter((one) => isWrite(one) && one.objectRef?.resource === Board.plural);

  // When another user adds items to its lists, then the operator writes nothing
  const spec = { routes: [{ name: "more", path: "/more" }], hosts: ["two.example.dev"] };
  const metadata = { name: "web", namespace };
  const addition = { apiVersion: apiVersionOf(Board), kind: Board.kind, metadata, spec };
  await kubectl("apply --server-side --field-manager=other --validate=false -f -", { input: addition });
  await eventually(() => reconciles() > before, { what: "the operator has observed the additions" });
  expect((await writes()).map(lineOf)).toEqual([]);

  // When another user adds a key to its atomic map, then the operator restores the map with one write, and keeps the items
  await kubectl([
    ...["patch", type, "web", "-n", namespace, "--type=merge", "--field-manager=other"],
    ...["-p", JSON.stringify({ spec: { match: { team: "a" } } })],
  ]);
  const board = await eventually(
    async () => {
      const found = await readObject<{ readonly spec: object }>(type, "web", namespace);
      expect(found?.spec).toMatchObject({ match: { app: "web" } });
      expect(found?.spec).not.toHaveProperty("match.team");
      return found;
    },
    { what: "the map is restored" },
  );
  expect(board?.spec).toEqual({
    routes: [
      { name: "all", path: "/", mode: "prefix" },
      { name: "more", path: "/more", mode: "prefix" },
    ],
    hosts: ["one.example.dev", "two.example.dev"],
    match: { app: "web" },
  });
  expect((await writes()).map(lineOf)).toEqual(["patch boards web 200"]);
});
