// The first library of every context: the harness, cdk8s and constructs. `yaml` is evaluated when it is first used.
import "./harness.ts";
import * as cdk8s from "cdk8s";
import * as constructs from "constructs";
import * as yaml from "yaml";
import type { Harness } from "./harness.ts";

declare const __fairlead: Harness;
__fairlead.define("cdk8s", () => cdk8s);
__fairlead.define("constructs", () => constructs);
__fairlead.define("yaml", () => yaml);
