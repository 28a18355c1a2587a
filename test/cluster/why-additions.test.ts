import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { nap } from "../examples/nap.ts";
import { why } from "./ask-why.ts";
import { applyObjects, eventually, kubectl, testCluster } from "./fixture.ts";
import { aHarness, applyResource, untilReady } from "./harness.ts";
import { install } from "./install.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

describe("fairlead why for a kind that adds to objects of other owners", () => {
  /** A Nap that a separate operator has reconciled. */
  async function aNap() {
    await install(testCluster(), { kinds: [stampIn(sharedGroup), nap], name: "naps" });
    const program = join(import.meta.dirname, "nap-program.ts");
    const { namespace, start } = await aHarness({ program, rights: "naps", publishes: false });
    const labels = { app: "shop" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } };
    const spec = { selector: { matchLabels: labels }, template };
    const metadata = { name: "web", namespace, labels };
    await applyObjects({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec });
    await start();
    await applyResource(nap.definition, namespace, { name: "night", app: "shop" });
    await untilReady(nap.definition, namespace, "night");
    return namespace;
  }

  test("counts these objects, and names a field that another manager owns", async () => {
    const namespace = await aNap();
    const ask = () => why("nap/night", namespace, undefined, { kinds: [...kinds, nap] });
    const ready = await ask();
    expect(ready.text).toMatch(/\nAdds to 1 object of other owners: 1 up to date, 0 pending\n/);
    expect(ready.code).toBe(0);
    await kubectl(["scale", "deployment", "web", "-n", namespace, "--replicas=2"]);
    await eventually(async () => (await ask()).code === 1, { what: "a field is missing" });
    const { text } = await ask();
    expect(text).toMatch(/\nAdds to 1 object of other owners: 0 up to date, 1 pending\n/);
    expect(text).toMatch(/refused +Deployment \S+\/web +the API server rejects it: .*conflict/);
    const edit = new RegExp(`- kubectl edit nap night -n ${namespace} --kubeconfig=\\S+`);
    await eventually(async () => edit.test((await ask()).text), { what: "its condition reports it" });
  });

  test("shows what is known about it in a program without its chart", async () => {
    const namespace = await aNap();
    const { code, text } = await why("nap/night", namespace);
    expect(text).toMatch(/^Nap \S+\/night is Ready\n\nWaiting for nothing, as far as known\n/);
    expect(text).toMatch(/- Desired objects: another program has the chart of Nap; no object has the label/);
    expect(text).toMatch(/- kubectl describe naps\.example\.dev night -n \S+ --kubeconfig=/);
    expect(code).toBe(2);
  });
});
