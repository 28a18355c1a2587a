import { runOperator } from "../../index.ts";
import { backup } from "../examples/backup.ts";

/** `HIDE_RECEIPTS=1`: a later version of this operator that no longer publishes receipts. */
const childRules = backup.childRules.map((rule) =>
  process.env["HIDE_RECEIPTS"] === "1" ? { ...rule, publish: false } : rule,
);
process.exitCode = await runOperator({ kinds: [{ ...backup, childRules }] });
