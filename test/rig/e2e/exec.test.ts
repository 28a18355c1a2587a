import { expect, test } from "vitest";
import { execIn } from "../../../rig/e2e/exec.ts";
import type { Stack } from "../../../rig/e2e/stack.ts";

/** A stack whose `kubectl exec` ends with these errors, and then prints "done". */
function aStack(errors: readonly string[]) {
  const left = [...errors];
  const calls: string[] = [];
  const kubectl = async ([verb = ""]: readonly string[]): Promise<string> => {
    calls.push(verb);
    const error = verb === "exec" ? left.shift() : undefined;
    if (error !== undefined) throw new Error(error);
    return "done";
  };
  return { stack: { kubectl } as Partial<Stack> as Stack, calls };
}

const place = { pod: "operator-1", namespace: "default" };
const killed = "command terminated with exit code 137";

test("a command that is killed with its container runs again when the pod is ready", async () => {
  const { stack, calls } = aStack([killed]);
  expect(await execIn(stack, place, ["node"])).toBe("done");
  expect(calls).toEqual(["exec", "get", "logs", "wait", "exec"]);
});

test("a command waits for a container that has ended and starts again", async () => {
  const gone = 'error: unable to upgrade connection: container not found ("operator")';
  expect(await execIn(aStack([gone, gone, gone, gone]).stack, place, ["node"])).toBe("done");
});

test("a command that is killed three times, or fails by itself, has failed", async () => {
  await expect(execIn(aStack([killed, killed, killed]).stack, place, ["node"])).rejects.toThrow(killed);
  const { stack, calls } = aStack(["command terminated with exit code 1"]);
  await expect(execIn(stack, place, ["node"])).rejects.toThrow("exit code 1");
  expect(calls).toEqual(["exec"]);
});
