import * as core from '@castor/core';
import { describe, expect, it } from 'vitest';
import { documentedNames, documentedPlaces, exportedNames } from './exported-names.ts';

describe('docs/documents.md', () => {
  it('lists only names that @castor/core exports', async () => {
    const exported = new Set(await exportedNames('packages/core/src/index.ts'));
    const names = await documentedNames();
    expect(names.length).toBeGreaterThan(80);
    expect(names.filter((name) => !exported.has(name))).toEqual([]);
  });

  it('names for each row the files that declare its names', async () => {
    const wrong: string[] = [];
    for (const { names, files } of await documentedPlaces()) {
      const declared = new Set((await Promise.all(files.map(exportedNames))).flat());
      wrong.push(...names.filter((name) => !declared.has(name)));
    }
    expect(wrong).toEqual([]);
  });

  it('says of no exported name that it does not exist', async () => {
    const exported = await exportedNames('packages/core/src/index.ts');
    const absent = ['TrackedToolCall', 'TrackedCompletedToolCall', 'TrackedCancelledToolCall', 'executeToolWithHooks'];
    expect(absent.filter((name) => exported.includes(name))).toEqual([]);
  });

  it('lists every class and function of the documents that this project exports as a value', async () => {
    const names = new Set(await documentedNames());
    const documented = Object.keys(core).filter((name) => /^(Turn|Gemini|BatchTurn|BufferedTurn|RealTime)/.test(name));
    expect(documented.filter((name) => !names.has(name))).toEqual([]);
  });
});
