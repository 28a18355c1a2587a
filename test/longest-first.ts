import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest files, longest first, so that the run does not end with one of them alone. */
const longest = [
  "start.test.ts",
  "deletion.test.ts",
  "upgrade.test.ts",
  "kill.test.ts",
  "cold-start.test.ts",
  "sweep.test.ts",
  "reference.test.ts",
  "git-faults.test.ts",
  "release-source.test.ts",
  "install-command.test.ts",
  "takeover.test.ts",
  "release-delete.test.ts",
  "pipeline-kills.test.ts",
  "release-kills.test.ts",
  "leader.test.ts",
  "leader-killed.test.ts",
];

/** Sorts the files of a project: first the longest ones, then the others in the default order. Projects of one group are mixed. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => (groupOf(a) === groupOf(b) ? rankOf(a) - rankOf(b) : 0));
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

function rankOf({ moduleId }: TestSpecification): number {
  const name = basename(moduleId);
  const at = longest.indexOf(name);
  return at === -1 ? 0 : at - longest.length;
}
