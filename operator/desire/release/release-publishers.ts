import type { ReleaseResource } from "../../../crds/release.ts";
import type { OpenPlaceOptions } from "../../compose/compose-publisher.ts";
import type { GitPublisher } from "../../git/publish/git-publisher.ts";
import type { FolderClaim, Publisher } from "../../ports.ts";
import { isSamePlace } from "./publish-place.ts";
import type { PublishPlaces } from "./publish-release.ts";
import type { OperatorRepository, PublishTarget } from "./publish-target.ts";

export interface ReleasePublishersInput {
  readonly repository: OperatorRepository;
  /** The publisher of the operator's own location. */
  readonly publisher: Publisher;
  readonly open: (options: OpenPlaceOptions) => GitPublisher;
  /** The Release of a folder at a location. */
  readonly claimOf: (folder: string, target: PublishTarget) => FolderClaim;
  readonly trailersOf: (release: ReleaseResource) => readonly string[];
}

/** The publishers of all locations to which Releases are published. Each is created when it is first needed. */
export class ReleasePublishers implements PublishPlaces {
  readonly repository: OperatorRepository;
  readonly #input: ReleasePublishersInput;
  readonly #opened = new Map<string, GitPublisher>();

  constructor(input: ReleasePublishersInput) {
    this.repository = input.repository;
    this.#input = input;
  }

  /**
   * Call it only while this instance leads and the Releases are known, because it removes folders without a Release.
   */
  at(target: PublishTarget): Publisher {
    if (isSamePlace(target, this.repository)) return this.#input.publisher;
    return this.#opened.getOrInsertComputed(idOf(target), () => this.#open(target));
  }

  /** Removes the folder of a Release that was published at `target`, and was deleted or is published elsewhere now. */
  retire(folder: string, target: PublishTarget, options?: { readonly keepFiles?: boolean }): void {
    const publisher = isSamePlace(target, this.repository)
      ? this.#input.publisher
      : this.#opened.get(idOf(target));
    // Do not create a publisher for a location that is no longer allowed.
    if (options?.keepFiles === true) publisher?.retire(folder, options);
    else this.at(target).retire(folder);
  }

  trailersOf(release: ReleaseResource): readonly string[] {
    return this.#input.trailersOf(release);
  }

  async close(options: { readonly flushMs: number }): Promise<void> {
    await Promise.all([...this.#opened.values()].map((publisher) => publisher.close(options)));
  }

  #open(target: PublishTarget): GitPublisher {
    const { open, claimOf } = this.#input;
    const publisher = open({ ...target, claimOf: (folder) => claimOf(folder, target) });
    publisher.start();
    publisher.sweep();
    return publisher;
  }
}

function idOf({ branch, root }: PublishTarget): string {
  return `${branch} ${root}`;
}
