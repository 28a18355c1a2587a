import type { ReleaseResource } from "../../../crds/release.ts";
import type { OpenPlaceOptions } from "../../compose/compose-publisher.ts";
import type { GitPublisher } from "../../git/publish/git-publisher.ts";
import type { FolderClaim, Publisher } from "../../ports.ts";
import type { PublishPlaces } from "./publish-release.ts";
import type { OperatorRepository, PublishTarget } from "./publish-target.ts";

export interface ReleasePublishersInput {
  readonly repository: OperatorRepository;
  /** The operator's own, at its own branch and root. */
  readonly publisher: Publisher;
  readonly open: (options: OpenPlaceOptions) => GitPublisher;
  /** The Release of a folder at a location. */
  readonly claimOf: (folder: string, target: PublishTarget) => FolderClaim;
  readonly trailersOf: (release: ReleaseResource) => readonly string[];
}

/** One publisher for each location on the repository to which Releases are published, created when it is first needed. */
export class ReleasePublishers implements PublishPlaces {
  readonly repository: OperatorRepository;
  readonly #input: ReleasePublishersInput;
  readonly #opened = new Map<string, GitPublisher>();

  constructor(input: ReleasePublishersInput) {
    this.repository = input.repository;
    this.#input = input;
  }

  /**
   * Call it only while this instance leads and the Releases are known: folders that belong to none of them are removed.
   */
  at(target: PublishTarget): Publisher {
    if (isSamePlace(target, this.repository)) return this.#input.publisher;
    return this.#opened.getOrInsertComputed(idOf(target), () => this.#open(target));
  }

  /** A Release that was published at `target` was deleted, or is now published elsewhere. */
  retire(folder: string, target: PublishTarget, options?: { readonly keepFiles?: boolean }): void {
    const publisher = isSamePlace(target, this.repository)
      ? this.#input.publisher
      : this.#opened.get(idOf(target));
    // Do not open a location to which nothing may be written.
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

function isSamePlace(a: PublishTarget, b: PublishTarget): boolean {
  return a.branch === b.branch && a.root === b.root;
}

function idOf({ branch, root }: PublishTarget): string {
  return `${branch} ${root}`;
}
