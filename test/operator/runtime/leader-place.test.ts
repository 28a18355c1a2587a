import { expect, test } from "vitest";
import { NoElection } from "../../../operator/runtime/election.ts";
import { aLeaseServer, anInstance } from "../../fakes/election-instance.ts";

const annotations = ({ lease }: ReturnType<typeof aLeaseServer>["server"]) => lease?.metadata["annotations"];

test("a standby reads the leader's address for hooks and its name from the lease, also after a change", async () => {
  const { server, clock } = aLeaseServer();
  const first = anInstance("first", server, clock, 0.5, "10.0.0.1:8082");
  const second = anInstance("second", server, clock, 0.5, "10.0.0.2:8082");
  expect(second.elector.leader).toBeUndefined();
  first.elector.start();
  await clock.advance(10_000);
  second.elector.start();
  await clock.advance(10_000);
  expect(first.elector.leader).toBe("self");
  expect(second.elector.leader).toEqual({ address: "10.0.0.1:8082" });
  await first.elector.stop();
  await clock.advance(10_000);
  expect(second.elector.leader).toBe("self");
  expect(annotations(server)).toEqual({ "fairlead.dev/hook-address": "10.0.0.2:8082" });
});

test("a leader without hooks has no address, and there is none without a leader", async () => {
  const { server, clock } = aLeaseServer();
  const first = anInstance("first", server, clock, 0.5, "10.0.0.1:8082");
  const silent = anInstance("silent", server, clock);
  const standby = anInstance("standby", server, clock);
  first.elector.start();
  await clock.advance(10_000);
  standby.elector.start();
  silent.elector.start();
  await clock.advance(10_000);
  first.line.isCut = true;
  standby.line.isCut = true;
  await clock.advance(30_000);
  expect(silent.elector.leader).toBe("self");
  expect(annotations(server)).toEqual({});
  standby.line.isCut = false;
  await clock.advance(20_000);
  expect(standby.elector.leader).toBeUndefined();
  expect(new NoElection().leader).toBe("self");
});
