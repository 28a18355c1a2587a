import { expect, test } from "vitest";
import { type ClusterAccess, ClusterAccessError } from "../../../operator/cluster/cluster-access.ts";
import { ApiTransport } from "../../../operator/cluster/transport.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { ScriptedApiServer } from "../../fakes/scripted-api-server.ts";

const options = { clock: systemClock(), userAgent: "fairlead/test" };
const get = { method: "GET", path: "/version", retries: 0 } as const;

test("a server with a certificate of another authority is not trusted, which the message reports", async () => {
  await using server = await ScriptedApiServer.start({ protocol: "https" });
  const transport = new ApiTransport({ ...server.access, tls: async () => ({}) }, options);
  const error = await transport.send(get).catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/is not trusted: self-signed certificate; check the certificate authority$/);
  expect(server.requests).toHaveLength(0);
  await transport.close();
});

test("a new connection uses the current authority", async () => {
  await using server = await ScriptedApiServer.start({ protocol: "https" });
  server.script = (_request, answer) => answer.json(200, {});
  let ca: string | undefined;
  const tls = async () => ({ ...(ca !== undefined && { ca }) });
  const transport = new ApiTransport({ ...server.access, tls }, options);
  await expect(transport.send(get)).rejects.toThrow("is not trusted");
  ca = (await server.access.tls()).ca;
  expect((await transport.send(get)).status).toBe(200);
  await transport.close();
});

test("a server whose certificate is not to be verified is accepted", async () => {
  await using server = await ScriptedApiServer.start({ protocol: "https" });
  server.script = (_request, answer) => answer.json(200, {});
  const access: ClusterAccess = { ...server.access, verifiesServer: false, tls: async () => ({}) };
  const transport = new ApiTransport(access, options);
  expect((await transport.send(get)).status).toBe(200);
  await transport.close();
});

test("rejected credentials are read again", async () => {
  await using server = await ScriptedApiServer.start();
  server.script = ({ headers }, answer) =>
    headers["authorization"] === "Bearer new"
      ? answer.json(200, {})
      : answer.refuse(401, "Unauthorized", "no");
  let token = "old";
  const access: ClusterAccess = {
    ...server.access,
    authorization: async () => `Bearer ${token}`,
    forget: () => {
      token = "new";
    },
  };
  const transport = new ApiTransport(access, options);
  expect((await transport.send(get)).status).toBe(401);
  expect((await transport.send(get)).status).toBe(200);
  await transport.close();
});

test.for(["tls", "authorization"] as const)(
  "a file for %s that is missing for a moment is named",
  async (part) => {
    await using server = await ScriptedApiServer.start({ protocol: "https" });
    const failing = async () => {
      throw new ClusterAccessError('Cannot read token "/t": no such file');
    };
    const transport = new ApiTransport({ ...server.access, [part]: failing }, options);
    await expect(transport.send(get)).rejects.toMatchObject({
      name: "ConnectionError",
      refused: true,
      message: 'Cannot read token "/t": no such file',
    });
    await transport.close();
  },
);
