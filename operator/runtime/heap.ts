/** A node of a {@link Heap}, with its position in `heapIndex`. */
export interface HeapNode {
  heapIndex: number;
}

/** A binary heap whose nodes can be moved, and removed from the middle. Every operation is O(log n). */
export class Heap<Node extends HeapNode> {
  readonly #nodes: Node[] = [];
  readonly #isBefore: (a: Node, b: Node) => boolean;

  /** @param isBefore A strict order. */
  constructor(isBefore: (a: Node, b: Node) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#nodes.length;
  }

  peek(): Node | undefined {
    return this.#nodes[0];
  }

  push(node: Node): void {
    this.#rise(node, this.#nodes.length);
  }

  pop(): Node | undefined {
    const first = this.#nodes[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Removes a node that is in this heap. */
  remove(node: Node): void {
    const last = this.#nodes.pop();
    if (last === undefined || last === node) return;
    this.#place(last, node.heapIndex);
  }

  /** Moves a node whose order changed to its new position. */
  reorder(node: Node): void {
    this.#place(node, node.heapIndex);
  }

  clear(): void {
    this.#nodes.length = 0;
  }

  #place(node: Node, index: number): void {
    this.#rise(node, index);
    if (node.heapIndex === index) this.#sink(node, index);
  }

  #rise(node: Node, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#nodes[parentIndex];
      if (parent === undefined || !this.#isBefore(node, parent)) break;
      this.#put(parent, index);
      index = parentIndex;
    }
    this.#put(node, index);
  }

  #sink(node: Node, from: number): void {
    let index = from;
    while (true) {
      const left = this.#nodes[2 * index + 1];
      const right = this.#nodes[2 * index + 2];
      const child = left !== undefined && right !== undefined && this.#isBefore(right, left) ? right : left;
      if (child === undefined || !this.#isBefore(child, node)) break;
      const childIndex = child.heapIndex;
      this.#put(child, index);
      index = childIndex;
    }
    this.#put(node, index);
  }

  #put(node: Node, index: number): void {
    this.#nodes[index] = node;
    node.heapIndex = index;
  }
}
