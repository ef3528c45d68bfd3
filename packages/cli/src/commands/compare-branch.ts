/** What a branch and the folder it came from changed since, what each cost, and dropping a branch without losing changes. */

import { existsSync } from 'node:fs';
import {
  changesSince,
  costOfAnswers,
  countOf,
  describeChange,
  dropBranch,
  findBranch,
  listBranches,
  loadPrices,
  tokensSince,
  UndoError,
  unmergedChanges,
} from '@castor/core/program';
import type { Branch, DescribedChange } from '@castor/core/program';

export interface Comparison {
  readonly branch: Branch;
  readonly there: readonly DescribedChange[];
  readonly here: readonly DescribedChange[];
  readonly cost: { readonly there: SideCost; readonly here: SideCost };
}

/** Of the answers since the branch began. */
export interface SideCost {
  readonly models: readonly string[];
  readonly tokens: number;
  /** Absent where the price of a model is unknown. */
  readonly usd?: number;
}

interface Project {
  readonly home: string;
  readonly root: string;
}

/** Throws UndoError. */
export async function compareBranch(project: Project, name: string): Promise<Comparison> {
  const branch = await findBranch(project, name);
  const there = await describeSide(project, branch, branch.root);
  const here = await describeSide(project, branch, project.root);
  const cost = {
    there: await costSince(branch.sessionId, { ...project, root: branch.root }, branch.createdAt),
    here: await costSince(branch.from, project, branch.createdAt),
  };
  return { branch, there, here, cost };
}

/** Refuses a branch with changes unless `isSure`. Returns a sentence. Throws UndoError. */
export async function dropChecked(project: Project, name: string, isSure: boolean): Promise<string> {
  const branch = (await listBranches(project)).find((each) => each.name === name);
  if (branch && !isSure) {
    const { length } = await unmergedChanges(project, branch);
    if (length > 0)
      throw new UndoError(
        `The branch "${name}" has ${countOf(length, 'change')} that this folder lacks. Merge it first, or add --yes to lose what it changed.`,
      );
  }
  const wasThere = branch !== undefined && existsSync(branch.root);
  const { root } = await dropBranch(project, name);
  const folder = wasThere ? ` and its folder ${root}` : `; its folder ${root} was gone already`;
  return `Dropped the branch ${name}${folder}. Its session is kept until castor sessions delete removes it.`;
}

async function describeSide(project: Project, branch: Branch, folder: string): Promise<DescribedChange[]> {
  const { client, changes } = await changesSince(project, branch, folder);
  try {
    const described: DescribedChange[] = [];
    for (const change of changes.values()) {
      if ((change.after ?? change.before)?.kind === 'folder') continue;
      described.push(
        await describeChange(change, async (state) => {
          const { bytes } = state?.kind === 'file' ? await client.ask({ do: 'read', content: state.content }) : {};
          return bytes === undefined ? undefined : Buffer.from(bytes, 'base64');
        }),
      );
    }
    return described;
  } finally {
    await client.close();
  }
}

async function costSince(session: string, project: Project, since: string): Promise<SideCost> {
  const answers = await tokensSince(session, project, since);
  const { prices } = await loadPrices(project.home);
  const usd = costOfAnswers(answers, prices);
  return {
    models: [...new Set(answers.map(({ model }) => model))],
    tokens: answers.reduce((sum, { total }) => sum + total, 0),
    ...(usd !== undefined && { usd }),
  };
}
