import { expect, test } from "vitest";
import { resumeCommand, runSuspend, suspendCommand } from "../../../cli/commands/suspend.ts";

const screen = {
  print(line: string) {
    throw new Error(`Nothing should be printed: ${line}`);
  },
};
// No cluster is contacted: there is no such file.
const nowhere = { kubeconfig: "/nonexistent/kubeconfig" };

test.for([
  {
    suspend: true,
    says: /^Cannot suspend: -A needs --all.* all Releases of the cluster: .*fairlead suspend --all -A --kubeconfig=\/nonexistent\/kubeconfig$/,
  },
  {
    suspend: false,
    says: /^Cannot resume: -A needs --all.* all Releases of the cluster: .*fairlead resume --all -A --kubeconfig=\/nonexistent\/kubeconfig$/,
  },
])(
  "-A without --all is refused before a cluster is contacted (suspend: $suspend)",
  async ({ suspend, says }) => {
    const flags = { ...nowhere, suspend, allNamespaces: true };
    await expect(runSuspend(undefined, flags, screen)).rejects.toThrow(says);
    await expect(runSuspend(undefined, { ...flags, all: true }, screen)).rejects.toThrow(/kubeconfig/);
  },
);

test("a name cannot be combined with --all or -A", async () => {
  for (const many of [{ all: true }, { allNamespaces: true }, { all: true, allNamespaces: true }])
    await expect(runSuspend("web", { ...nowhere, suspend: true, ...many }, screen)).rejects.toThrow(
      /^Cannot suspend Release "web": use either a name, or --all or -A/,
    );
});

test("the help says that -A needs --all, and which Releases resume --all includes", () => {
  const help = (text: string) => text.replaceAll(/\s+/g, " ");
  const suspend = help(suspendCommand().helpInformation());
  const resume = help(resumeCommand().helpInformation());
  for (const text of [suspend, resume]) expect(text).toContain("with --all: all Releases of all namespaces");
  expect(resume).toContain("including those suspended by other users");
  expect(suspend).not.toContain("suspended by other users");
});
