/**
 * Says what an undo or a redo must leave behind, from pictures of the tree alone: the rules of docs/undo.md in their
 * simplest form, without the records, the store and the process of the real one. Pure.
 */

import { dirname } from 'node:path';

/** By path: type, mode and content, as `treeOf` tells them. */
export type Tree = Readonly<Record<string, string>>;

interface Change {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

interface Step extends Change {
  /** Undefined: no call made it. */
  readonly call: string | undefined;
}

export class UndoOracle {
  private last: Tree;
  private readonly steps = new Map<string, Step[]>();
  private readonly undone: { readonly changes: readonly Change[]; readonly taken: Map<string, Step[]> }[] = [];

  constructor(tree: Tree) {
    this.last = tree;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  /** What differs from the last picture was made by the call, or by no call. */
  see(tree: Tree, call?: string): void {
    const changes = compare(this.last, tree);
    for (const change of changes) this.push({ ...change, call });
    this.last = tree;
    if (call !== undefined && changes.length > 0) this.undone.length = 0;
  }

  /** Whether any change of these calls is not taken back. */
  hasChanges(calls: readonly string[]): boolean {
    return [...this.steps.values()].some((steps) =>
      steps.some(({ call }) => call !== undefined && calls.includes(call)),
    );
  }

  /** The tree after these calls are undone. */
  undo(tree: Tree, calls: ReadonlySet<string>): Tree {
    const isOf = ({ call }: Step) => call !== undefined && calls.has(call);
    const plan: Change[] = [];
    const taken = new Map<string, Step[]>();
    for (const [path, steps] of this.steps) {
      const first = steps.findIndex(isOf);
      if (first < 0) continue;
      const since = steps.slice(first);
      const isWhole = since.every(
        (step, index) => isOf(step) && (index === 0 || step.before === since[index - 1]!.after),
      );
      // A path is touched only if it is exactly what the undone calls left.
      if (isWhole && tree[path] === since.at(-1)!.after)
        plan.push({ path, before: tree[path], after: since[0]!.before });
      taken.set(path, steps.filter(isOf));
      this.steps.set(
        path,
        steps.filter((step) => !isOf(step)),
      );
    }
    const { tree: left, done } = carryOut(tree, plan);
    this.undone.push({ changes: done, taken });
    this.last = left;
    return left;
  }

  redo(tree: Tree): Tree {
    const { changes, taken } = this.undone.pop()!;
    const plan = changes.filter(({ path, after }) => tree[path] === after);
    for (const steps of taken.values()) for (const step of steps) this.push(step);
    const { tree: left } = carryOut(
      tree,
      plan.map(({ path, before, after }) => ({ path, before: after, after: before })),
    );
    this.last = left;
    return left;
  }

  private push(step: Step): void {
    this.steps.set(step.path, [...(this.steps.get(step.path) ?? []), step]);
  }
}

function compare(before: Tree, after: Tree): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .map((path) => ({ path, before: before[path], after: after[path] }));
}

/** A folder goes only when nothing is left in it, and nothing is put where there is no folder. */
function carryOut(tree: Tree, plan: readonly Change[]): { tree: Tree; done: Change[] } {
  const wanted = plan.filter(({ before, after }) => before !== after);
  const isFolder = (state: string | undefined) => state?.startsWith('folder') ?? false;
  const left: Record<string, string> = { ...tree };
  const done: Change[] = [];
  const deepestFirst = wanted.toSorted((one, other) => (one.path < other.path ? 1 : -1));
  for (const change of deepestFirst) {
    const { path, before, after } = change;
    const isReplaced = before !== undefined && before.split(' ')[0] !== after?.split(' ')[0];
    if (!isReplaced) continue;
    const isBelow = (each: string) => each.startsWith(`${path}/`);
    const stays =
      Object.keys(left).some(isBelow) || wanted.some((each) => each.after !== undefined && isBelow(each.path));
    if (isFolder(before) && stays) continue;
    delete left[path];
    if (after === undefined) done.push(change);
  }
  for (const change of deepestFirst.toReversed()) {
    const { path, before, after } = change;
    const parent = dirname(path);
    const isFree = left[path] === undefined || left[path]!.split(' ')[0] === after?.split(' ')[0];
    if (after === undefined || !isFree || (parent !== '.' && !isFolder(left[parent]))) {
      if (after !== undefined && before !== undefined && left[path] === undefined) left[path] = before;
      continue;
    }
    left[path] = after;
    done.push(change);
  }
  return { tree: left, done };
}
