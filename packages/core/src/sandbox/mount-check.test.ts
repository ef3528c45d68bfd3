/** The words of the check: made once for a plan, and short enough for the kernel however many mounts there are. */

import { describe, expect, it } from 'vitest';
import { LaunchWords } from './launch-words.ts';
import { MountCheck } from './mount-check.ts';
import { planSandbox } from './sandbox-plan.ts';
import type { SandboxFacts } from './sandbox-plan.ts';

/** Longer ones are refused by Linux. */
const LONGEST_WORD = 128 * 1024;

function factsOf(repositories: number): SandboxFacts {
  const root = `/srv/${'deep/'.repeat(40)}work`;
  const folders = Array.from({ length: repositories }, (_, index) => `${root}/repository-${index}/.git`);
  return {
    ...{ home: '/home/me', roots: [root], writable: [], readable: [], hidden: [], caches: [], repository: [] },
    protectedPaths: folders.flatMap((folder) => [`${folder}/hooks`, `${folder}/config`]),
    ...{ temporary: '/tmp/session', emptyFile: '/tmp/empty' },
  };
}

describe.skipIf(process.platform !== 'linux')('the check of the mounts', () => {
  it('makes its words once, while the computer mounts nothing', () => {
    const facts = factsOf(3);
    const check = new MountCheck(facts.roots);
    const plan = planSandbox(facts, 'workspace-write');
    expect(check.wordsOf(plan)).toBe(check.wordsOf(plan));
    expect(check.wordsOf(planSandbox(factsOf(4), 'workspace-write'))).not.toEqual(check.wordsOf(plan));
  });

  it('has no word that is too long, with as many repositories as are mounted', () => {
    const facts = factsOf(300);
    const words = new MountCheck(facts.roots).wordsOf(planSandbox(facts, 'workspace-write'));
    expect(words.join('\0').length).toBeGreaterThan(LONGEST_WORD);
    expect(Math.max(...words.map((word) => word.length))).toBeLessThan(LONGEST_WORD / 10);
  });

  it('closes what the program inherited before the command begins', () => {
    const facts = factsOf(1);
    const { closing } = new LaunchWords([3, 19, 251]);
    const words = new MountCheck(facts.roots, closing).wordsOf(planSandbox(facts, 'workspace-write'));
    expect(words[3]).toMatch(/exec "\$@" 19>&- 251>&-$/);
  });

  it('asks nothing where a command can write nothing', () => {
    const facts = factsOf(1);
    expect(new MountCheck(facts.roots).wordsOf(planSandbox(facts, 'read-only'))).toEqual([]);
  });
});
