import { provideLauncher } from "../../cli/launcher/build-launcher.ts";
import { probeKernelIsolation } from "../../operator/sandbox/kernel-isolation.ts";

/** The launcher of the sandbox, built once per machine; undefined without Go or Linux. */
export const launcher = await provideLauncher(process.env);

/** The kernel restrictions of programs on this machine. */
export const kernelIsolation = await probeKernelIsolation(launcher);
