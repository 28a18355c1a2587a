import { toMilliseconds } from "../../../crds/duration.ts";
import type { ReleaseSpec } from "../../../crds/release.ts";
import { type Limits, smallestOf } from "./limits.ts";

/** Limits the time that a program may run. Returns the same object if nothing changes. Pure. */
export function limitRender(render: ReleaseSpec["render"], limits: Limits): ReleaseSpec["render"] {
  const { program } = render;
  const most = smallestOf(limits, ({ quotas }) => quotas?.programSeconds);
  if (program === undefined || most === undefined || toMilliseconds(program.timeout) <= most.value * 1_000)
    return render;
  return { ...render, program: { ...program, timeout: `${most.value}s` } };
}
