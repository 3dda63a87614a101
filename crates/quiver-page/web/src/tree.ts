/** What the drawings of trees share: where an arrow key leads, and the curves between nodes. */

/** A node of a tree that is drawn from left to right. */
export interface Placed<Node> {
  parent: Node | null;
  children: Node[];
  x: number;
  y: number;
}

/** The size of a node. */
export interface Size {
  width: number;
  height: number;
}

/** How far a curve to the right is bent, and one that leads back. */
const BEND = 40;
const BEND_BACK = 60;

/** The curve from the right edge of one node to the left edge of another. */
export function curve(from: { x: number; y: number }, to: { x: number; y: number }, { width, height }: Size): string {
  const [x1, y1] = [from.x + width, from.y + height / 2];
  const [x2, y2] = [to.x, to.y + height / 2];
  const bend = x2 > x1 ? Math.min((x2 - x1) / 2, BEND) : BEND_BACK;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** Where an arrow key leads from a node: to its parent, its first child, or up and down in its column. */
export function neighbour<Node extends Placed<Node>>(nodes: Node[], node: Node, key: string): Node | null {
  const beside = (step: number) => {
    const column = nodes.filter((other) => other.x === node.x);
    return column[column.indexOf(node) + step] ?? null;
  };
  switch (key) {
    case 'ArrowLeft':
      return node.parent;
    case 'ArrowRight':
      return node.children[0] ?? null;
    case 'ArrowUp':
      return beside(-1);
    case 'ArrowDown':
      return beside(1);
    case 'Home':
      return nodes[0] ?? null;
    case 'End':
      return nodes.at(-1) ?? null;
    default:
      return null;
  }
}
