import { expect, test } from "vitest";
import { eventually } from "../../../test/cluster/eventually.ts";
import { type AuditEvent, gitOnHost, installOperator, operatorRequests } from "../operator.ts";
import type { Stack } from "../stack.ts";

/** Tests another installation with other values, which moves the repository to an ssh host. */
export function upgradeTests(stack: () => Stack): void {
  test("installing again changes the repository to an ssh host, and writes no object", async () => {
    const before = await operatorRequests(stack());
    const files = await gitOnHost(stack(), ["ls-tree", "-r", "main"]);

    const output = await installOperator(stack(), { repository: "ssh" });

    expect(output).toMatch(/^changed +Deployment fairlead-system\/fairlead$/m);
    const readMoved = () => gitOnHost(stack(), ["ls-tree", "-r", "main"], "moved.git");
    await eventually(async () => expect(await readMoved()).toBe(files), {
      what: "the same files are on the branch of the new repository",
    });
    const applies = (await operatorRequests(stack())).map((event) => isApply(event));
    expect(applies.slice(0, before.length)).toContain(true);
    expect(applies.slice(before.length)).not.toContain(true);
  });
}

function isApply({ verb, requestURI }: AuditEvent): boolean {
  return verb === "patch" && /\/(jobs|cronjobs|deployments|services)\/[^/]+$/.test(requestURI);
}
