import { test } from "vitest";
import { takesHours } from "../../long.ts";
import { expectRules } from "./seeds.ts";

// A file of its own, so that it runs beside the single hours.
const [seeds, hours] = takesHours ? [100, 24] : [1, 4];

test(
  `a Pipeline satisfies the rules of section 3 also in long runs: ${seeds} seeds of ${hours} h`,
  { timeout: takesHours ? 14_400_000 : 300_000 },
  () => expectRules({ seeds, hours }),
);
