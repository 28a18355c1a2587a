import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The long ones first, so that nobody waits for one of them alone; what looks back at all stories last. */
const ranks: Readonly<Record<string, number>> = {
  "cold-start.test.ts": -2,
  "kill.test.ts": -1,
  "rights-used.test.ts": 1,
};

/** The order of files in a project, as ever but for those that are named here. */
export default class StorySequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => (a.project === b.project ? rankOf(a) - rankOf(b) : 0));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  return ranks[basename(moduleId)] ?? 0;
}
