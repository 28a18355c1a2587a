import { expect, test } from "vitest";
import { EasyService } from "../../crds/easy-service.ts";
import { Echo } from "../../crds/echo.ts";
import { eventually, kubectl, readObject } from "./fixture.ts";
import {
  aHarness,
  applyResource,
  conditionOf,
  eventsOf,
  type SeenResource,
  seen,
  untilCondition,
  untilEvents,
  untilReady,
} from "./harness.ts";

const fine = { size: 1, image: "example.dev/web:1" };

/** Specs that the CRD accepts and that cannot be converted to objects, with the message for their author. */
const refusals = [
  {
    what: "a limit below the request",
    spec: { ...fine, resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } },
    reason: "ApplyRejected",
    says: /^The API server refuses Deployment \S+\/web: spec\.template\.spec\.containers\[0\]\.resources\.requests: .*must be less than or equal to cpu limit/,
  },
  {
    what: "a name that is not a port name",
    spec: { ...fine, ports: [{ name: "Not A Name", port: 80 }] },
    reason: "ApplyRejected",
    says: /^The API server refuses Service \S+\/web: spec\.ports\[0\]\.name: .*Not A Name/,
  },
  {
    what: "a list with equal keys",
    spec: { ...fine, resources: { claims: [{ name: "a" }, { name: "a" }] } },
    reason: "ApplyRejected",
    says: /^The API server refuses Deployment \S+\/web: .*duplicate entries for key \[name="a"\]/,
  },
  {
    what: "a field that is unknown to the API server",
    spec: { ...fine, envs: [{ name: "A", valueFrom: { moonRef: { phase: "full" } } }] },
    reason: "ApplyRejected",
    says: /^The API server refuses Deployment \S+\/web: .*valueFrom\.moonRef: field not declared in schema/,
  },
  {
    what: "two ports with one number",
    spec: {
      ...fine,
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 80 },
      ],
    },
    reason: "SpecInvalid",
    says: /spec\.ports\[1\]\.port: port 80\/TCP is there already, as spec\.ports\[0\]; give one of them another number/,
  },
  {
    what: "two names for one container port",
    spec: {
      ...fine,
      ports: [
        { name: "a", port: 80, targetPort: "x" },
        { name: "b", port: 80, protocol: "TCP", targetPort: "y" },
      ],
    },
    reason: "SpecInvalid",
    says: /spec\.ports\[1\]\.targetPort: container port 80\/TCP has the name "x" already; use that name or a number/,
  },
] as const;

test.for(refusals)(
  "$what is reported in condition and event, not retried, and resolved by an edit",
  async ({ spec, reason, says }) => {
    const { namespace, repository, user, start } = await aHarness();
    await start();
    await applyResource(EasyService, namespace, spec);
    const refused = await untilCondition(EasyService, namespace, {
      type: "Applied",
      status: "False",
      reason,
    });
    const why = conditionOf(refused, "Applied")?.message;
    expect(why).toMatch(says);
    expect(conditionOf(refused, "Ready")).toMatchObject({ status: "False", reason, message: why });
    expect(conditionOf(refused, "Stalled")).toMatchObject({ status: "True", reason });
    const [event] = await untilEvents(namespace, "EasyService");
    expect(event).toMatchObject({ type: "Warning", reason, note: why });

    // The other resources are not affected.
    await applyResource(EasyService, namespace, { name: "other", ...fine });
    await untilReady(EasyService, namespace, "other");
    await applyResource(EasyService, namespace, { name: "other", ...fine, size: 2 });
    await untilReady(EasyService, namespace, "other");
    // A server that has just started to serve a kind answers 429 to its first watches.
    const failed = (await user.requests()).filter(
      ({ verb, responseStatus }) => verb !== "watch" && (responseStatus?.code ?? 0) >= 400,
    );
    const words = failed.map(
      ({ verb, requestURI, responseStatus }) => `${verb} ${requestURI}: ${responseStatus?.code}`,
    );
    expect(words, words.join("\n")).toHaveLength(reason === "SpecInvalid" ? 0 : 1);
    expect(repository.files(`${namespace}/easyservices.app.kubebuilder.io/web/`)).toEqual([]);

    await applyResource(EasyService, namespace, fine);
    const mended = await untilReady(EasyService, namespace);
    expect(conditionOf(mended, "Stalled")).toBeUndefined();
    expect(
      await eventually(
        async () => (await eventsOf(namespace, "EasyService")).find(({ type }) => type === "Normal"),
        { what: "an event" },
      ),
    ).toMatchObject({ reason: "Applied" });
  },
);

test("a child that never becomes ready is reported with its pod's reason; the children are in git, and an edit resolves it", async () => {
  const { namespace, start } = await aHarness();
  await start();
  const spec = { ...fine, resources: { requests: { cpu: "1000000" } } };
  await applyResource(EasyService, namespace, spec);
  const waiting = await eventually(
    async () => {
      const resource = await seen(EasyService, namespace);
      return /Insufficient cpu/.test(conditionOf(resource, "Healthy")?.message ?? "") ? resource : undefined;
    },
    { what: "the reason of the pod is reported" },
  );
  expect(conditionOf(waiting, "Applied")?.status).toBe("True");
  expect(conditionOf(waiting, "Ready")).toMatchObject({ status: "False" });
  expect(conditionOf(waiting, "Healthy")?.message).toMatch(/web-\S+/);
  await untilCondition(EasyService, namespace, { type: "Published" });
  const warnings = await untilEvents(namespace, "EasyService");
  expect(warnings).toMatchObject([
    { type: "Warning", note: expect.stringMatching(/no node can run pod web-\S+: .*Insufficient cpu/) },
  ]);

  await applyResource(EasyService, namespace, { name: "other", ...fine });
  await untilReady(EasyService, namespace, "other");
  await applyResource(EasyService, namespace, fine);
  await untilReady(EasyService, namespace);
});

test("an environment variable that is set twice has its last value, and an event reports it", async () => {
  const { namespace, start } = await aHarness();
  await start();
  const envs = ["1", "2"].map((value) => ({ name: "A", value }));
  await applyResource(EasyService, namespace, { ...fine, envs });
  await untilReady(EasyService, namespace);
  const live = await readObject<SeenResource>("deployment", "web", namespace);
  expect(live?.spec).toMatchObject({
    template: { spec: { containers: [{ env: [{ name: "A", value: "2" }] }] } },
  });
  const [event] = await untilEvents(namespace, "EasyService");
  expect(event).toMatchObject({ type: "Warning", note: 'spec.envs sets "A" 2 times: the last one is used' });
});

test("an object of another owner is not changed; the resource gets it after its deletion", async () => {
  const { namespace, start, writes } = await aHarness();
  await start();
  await kubectl(["create", "job", "web", "--image=example.dev/theirs:1", "-n", namespace]);
  const before = await readObject("job", "web", namespace);
  await applyResource(Echo, namespace, { message: "hi" });
  await untilCondition(Echo, namespace, { type: "Applied", status: "False", reason: "NotOwned" });
  expect((await readObject<SeenResource>("job", "web", namespace))?.spec).toEqual(before?.["spec"]);

  await kubectl(["delete", "job", "web", "-n", namespace]);
  // No watch reports its deletion: an edit causes a retry at once.
  await kubectl(["annotate", "echo", "web", "-n", namespace, "try=again"]);
  await untilReady(Echo, namespace);
  expect((await writes()).filter((write) => write.startsWith("patch jobs "))).toEqual([
    "patch jobs web 409",
    "patch jobs web 201",
  ]);
});
