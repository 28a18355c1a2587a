import { expect, test } from "vitest";
import { eventually } from "../../../test/cluster/eventually.ts";
import { execIn } from "../exec.ts";
import { leaderOf, OPERATOR, podsOf } from "../operator.ts";
import type { Stack } from "../stack.ts";

const operatorPods = "app.kubernetes.io/name=fairlead";
const { namespace } = OPERATOR;

/** The result of `fairlead install`. */
export function installationTests(stack: () => Stack): void {
  test("two pods of the operator are available, and one of them leads", async () => {
    const pods = await podsOf(stack(), operatorPods, namespace);
    expect(pods.map(({ phase }) => phase)).toEqual(["Running", "Running"]);
    const leader = await eventually(() => leaderOf(stack()).then((name) => name || undefined), {
      what: "there is a leader",
    });
    expect(pods.map(({ name }) => name)).toContain(leader);
  });

  test("the operator runs as an unprivileged user, may write only to /tmp, and has no capabilities", async () => {
    const [pod] = await podsOf(stack(), operatorPods, namespace);
    const program = `
      const fs = require("node:fs");
      const mayWrite = (path) => { try { fs.writeFileSync(path, ""); return "yes"; } catch (error) { return error.code; } };
      const status = fs.readFileSync("/proc/self/status", "utf8");
      const field = (name) => status.match(new RegExp("^" + name + ":\\\\s*(\\\\S+)", "m"))[1];
      console.log(JSON.stringify({
        uid: process.getuid(), gid: process.getgid(), root: mayWrite("/x"), tmp: mayWrite("/tmp/x"),
        capabilities: field("CapEff"), bounding: field("CapBnd"), noNewPrivileges: field("NoNewPrivs"), seccomp: field("Seccomp"),
      }));`;
    const out = await execIn(stack(), { pod: pod?.name ?? "", namespace }, ["node", "-e", program]);
    expect(JSON.parse(out)).toEqual({
      uid: 65_532,
      gid: 65_532,
      root: "EROFS",
      tmp: "yes",
      capabilities: "0000000000000000",
      bounding: "0000000000000000",
      noNewPrivileges: "1",
      seccomp: "2",
    });
  });

  test("the operator's namespace admits only restricted pods", async () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "root", namespace } };
    const spec = { containers: [{ name: "root", image: "busybox:1.33.1" }] };
    const input = JSON.stringify({ ...pod, spec });
    await expect(stack().kubectl("create -f -", { input })).rejects.toThrow(
      /violates PodSecurity "restricted/,
    );
  });
}
