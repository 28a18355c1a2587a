import { type HeldSweep, planSweep } from "../../engine/sweep.ts";
import type { BranchView } from "./branch-clone.ts";
import { OWNER_FILE } from "./owner-file.ts";
import type { GitPublisherOptions } from "./publisher-options.ts";

/** Whether folders of deleted resources wait for approval. */
export type SweepState = { readonly state: "idle" } | ({ readonly state: "held" } & HeldSweep);

export type SweeperOptions = Pick<GitPublisherOptions, "claimOf" | "log" | "announce">;

/** Finds the folders of resources that were deleted while no operator ran. */
export class Sweeper {
  readonly #options: SweeperOptions;
  #state: SweepState = { state: "idle" };
  #asked = false;
  #due = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  get state(): SweepState {
    return this.#state;
  }

  get isDue(): boolean {
    return this.#due;
  }

  /** Called when the existing resources are known: from then on, every change of the branch by others causes a sweep. */
  ask(): void {
    this.#asked = true;
    this.#due = true;
  }

  /** Called when others have changed the branch. */
  branchChanged(): void {
    this.#due = this.#asked;
  }

  /** Called when the folders have been removed. */
  done(): void {
    this.#due = false;
  }

  /** Folders to remove with the next commit. `isOffered`: folders that a resource claimed itself. */
  plan(view: BranchView, isOffered: (folder: string) => boolean): readonly string[] {
    if (!this.#due) return [];
    const { claimOf, log, announce } = this.#options;
    const plan = planSweep({
      folders: view.trees.keys(),
      claimOf: (folder) => (isOffered(folder) ? "wanted" : claimOf(folder)),
      approved: typeof view.ownerFile === "object" ? view.ownerFile.approveSweep : undefined,
    });
    const { held } = plan;
    const wasHeld = this.#state.state === "held" ? this.#state.id : undefined;
    if (held !== undefined && held.id !== wasHeld) {
      log.warn("Sweep waits for approval: it would remove more than half of all folders", { ...held });
      const note = `${held.gone} of ${held.folders} folders in the repository belong to deleted resources. To remove them, add approveSweep: ${held.id} to ${OWNER_FILE} on the branch`;
      announce?.({ type: "Warning", reason: "SweepHeld", action: "Sweep", note });
    }
    this.#state = held === undefined ? { state: "idle" } : { state: "held", ...held };
    if (plan.remove.length === 0) this.#due = false;
    return plan.remove;
  }
}
